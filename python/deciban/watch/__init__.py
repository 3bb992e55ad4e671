"""An IMAP account that is watched: what comes is classified and moved, and what the user moves is learnt."""
