//! The kept list of headers that tell what became of a message, not what it is: the verdicts of spam and virus filters,
//! and what mailboxes note. A model that learnt from them would repeat another filter, or a folder.
//!
//! A header is on the list if a filter that judged the message writes it, or if whoever keeps the message does after
//! its delivery. What senders, mailing lists and servers on the way say of the message itself is not.

/// Pieces of a name that only filters use, wherever they stand in it: `X-RC-Spam`, `X-Uva-Virus-Scanned`,
/// `X-Forefront-Antispam-Report`, `X-Example-MailScanner-From`.
const PIECES: [&str; 8] =
    ["spam", "virus", "mailscanner", "-scanned", "-scanner", "phish", "malware", "junk"];
/// How the headers of filters begin, in whose names there is none of these pieces.
const FILTERS: [&str; 36] = [
    "x-deciban",
    "x-bogosity",
    "x-crm114",
    "x-text-classification",
    "x-popfile",
    "x-amavis",
    "x-sa-exim",
    "x-razor",
    "x-pyzor",
    "x-dcc-",
    "x-barracuda",
    "x-asg-",
    "x-proofpoint",
    "x-ironport",
    "x-brightmail",
    "x-pmx-",
    "x-perlmx",
    "x-sophos",
    "x-kaspersky",
    "x-kse-",
    "x-mimecast",
    "x-cloudmark",
    "x-cmae-",
    "x-ctch-",
    "x-vade",
    "x-vr-",
    "x-gmane-",
    "x-ms-exchange-organization-",
    "x-ms-exchange-atpmessageproperties",
    "x-forefront",
    "x-eopattributedmessage",
    "x-ui-filterresults",
    "x-ui-loop",
    "x-miltered",
    "x-j-chkmail",
    "x-mdav-",
];
/// What `X-MS-Exchange-…` ends with where it is a verdict: spam and phishing confidence levels.
const LEVELS: [&str; 2] = ["scl", "pcl"];
/// How what mail programs and archives note begins.
const MAILBOXES: [&str; 8] = [
    "x-mozilla-",
    "x-evolution",
    "x-gm-",
    "x-gmail-labels",
    "x-imap",
    "x-offlineimap",
    "x-folder",
    "x-poco-",
];
/// Whole names of what mailboxes note.
const NOTES: [&str; 13] = [
    "status",
    "x-status",
    "x-uid",
    "x-uidl",
    "x-gmx-uid",
    "x-keywords",
    "x-label",
    "x-account-key",
    "x-filename",
    "x-origin",
    "x-tuid",
    "content-length",
    "lines",
];

/// Whether a header of this name tells nothing about the message itself.
///
/// Of two filters of which one strips more, each leaves what the other wrote: so the list is of names, whatever their
/// values.
pub(super) fn is_foreign(name: &[u8]) -> bool {
    let starts = |prefix: &&str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    let ends = |suffix: &&str| {
        let at = name.len().saturating_sub(suffix.len());
        name[at..].eq_ignore_ascii_case(suffix.as_bytes())
    };
    // Most names lack a letter of every piece.
    let letters = letters(name);
    let holds = |piece: &&str| {
        let may = self::letters(piece.as_bytes()) & !letters == 0;
        may && name.windows(piece.len()).any(|window| window.eq_ignore_ascii_case(piece.as_bytes()))
    };
    let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    PIECES.iter().any(holds)
        || NOTES.iter().any(is)
        || matches!(name, [b'x' | b'X', b'-', ..])
            && (FILTERS.iter().chain(&MAILBOXES).any(starts)
                || starts(&"x-ms-exchange-") && LEVELS.iter().any(ends))
}

/// Which bytes there are, a bit for each of 32, in either case alike.
fn letters(name: &[u8]) -> u32 {
    name.iter().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

#[cfg(test)]
mod tests {
    use super::is_foreign;

    #[test]
    fn verdicts_of_filters_and_notes_of_mailboxes_are_foreign() {
        for name in [
            "X-Spam",
            "X-Spam-Status",
            "x-spamd-bar",
            "X-Spambayes-Classification",
            "X-SpamProbe",
            "X-Old-Spam-Flag",
            "X-Bogosity",
            "X-Rspamd-Score",
            "X-DSPAM-Result",
            "X-CRM114-Status",
            "X-Barracuda-Bayes",
            "X-ASG-Debug-ID",
            "X-MS-Exchange-Organization-SCL",
            "X-MS-Exchange-Whatever-PCL",
            "X-Forefront-Antispam-Report",
            "X-Microsoft-Antispam",
            "X-Proofpoint-Spam-Details",
            "X-Amavis-Alert",
            "X-Virus-Scanned",
            "X-VirusChecked",
            "X-RAV-Antivirus",
            "X-GMX-Antispam",
            "X-Example-MailScanner-SpamCheck",
            "X-Scanned-By",
            "X-PerlMx-Spam",
            "X-Gmane-Expiry",
            "X-Deciban-Status",
            "SpamDiagnosticOutput",
            "Status",
            "X-Status",
            "X-Keywords",
            "Lines",
            "X-Mozilla-Status2",
            "X-GM-THRID",
            "X-Gmail-Labels",
            "X-Folder",
            "Content-Length",
            "X-UID",
            "X-UIDL",
        ] {
            assert!(is_foreign(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_a_message_says_of_itself_is_its_own() {
        for name in [
            "",
            "Subject",
            "From",
            "X-Mailer",
            "X-Priority",
            "List-Id",
            "Received",
            "Received-SPF",
            "DKIM-Signature",
            "Authentication-Results",
            "ARC-Seal",
            "X-MS-Has-Attach",
            "X-MS-Exchange-CrossTenant-Id",
            "X-AntiAbuse",
            "X-Originating-IP",
            "X-Google-Sender-Auth",
            "Content-Type",
            "X-Status-Page",
            "Online",
            "X-Loop",
        ] {
            assert!(!is_foreign(name.as_bytes()), "{name}");
        }
    }
}
