require ["vnd.dovecot.pipe", "copy"];

pipe :copy "deciban-learn" ["spam"];
