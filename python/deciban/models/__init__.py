"""The models, each a declaration of about a page; import them from their files or from `deciban`."""
