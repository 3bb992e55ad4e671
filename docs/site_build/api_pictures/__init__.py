"""The pictures of the API's pages: what each shows, how it is drawn, and how it is kept small."""
