require ["vnd.dovecot.pipe", "copy", "imapsieve", "environment"];

# That a message was deleted does not tell what it was.
if environment :is "imap.mailbox" ["Trash", "Deleted", "Deleted Items", "Deleted Messages"] {
  stop;
}
pipe :copy "deciban-learn" ["ham"];
