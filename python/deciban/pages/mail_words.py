"""What pages and figures about mail say otherwise than others: its examples are messages."""

MAIL = {
    "en": {
        "examples": "messages",
        "claim": "Of {n} labelled messages it misclassified {errors}: {error} (95 %: {interval}).",
        "claim.fresh": "Of {n} messages that it was not trained on, it misclassified {errors}: {error} (95 %: "
        "{interval}).",
        "how.held": "A fifth of the messages was held out: a model of the same type was trained on the other {learnt} "
        "and classified these {judged}. Equal messages are on the same side. The filter itself was trained on all.",
        "how.chosen": "Its type was chosen among {tried} by another fifth of the same messages, which flatters a "
        "little.",
        "how.evaluated": "The filter classified {judged} labelled messages.",
        "how.few": "Not measured: there are too few messages of each class to hold some out. Use deciban evaluate with "
        "others.",
        "how.failed": "Not measured: no filter can be trained on four fifths of the messages. {why}",
        "curves.none": "Curves need messages of every class.",
        "learning.learnt": "training messages",
        "samples": "Messages",
        "samples.fresh": "The filter was not trained on any of these.",
        "samples.wrong.none": "No message was misclassified.",
        "samples.right.none": "No message was classified correctly.",
        "proof.n": "messages",
        "proof.d": "words",
        "again.typed": "Trained anew by a command like this one, with the paths of the messages:",
    },
    "ko": {
        "examples": "메일 수",
        "claim": "레이블이 있는 메일 {n}통 가운데 {errors}통을 잘못 분류했습니다: {error} (95 %: {interval}).",
        "claim.fresh": "학습하지 않은 메일 {n}통 가운데 {errors}통을 잘못 분류했습니다: {error} (95 %: {interval}).",
        "how.held": "메일의 5분의 1을 떼어 두었습니다. 같은 방식의 모형이 나머지 {learnt}통을 학습하고 떼어 둔 "
        "{judged}통을 판정했습니다. 같은 메일은 한쪽에만 있습니다. 저장된 필터는 전부를 학습했습니다.",
        "how.chosen": "모형의 종류는 같은 메일의 다른 5분의 1로 {tried}가지 가운데 골랐으므로, 이 수치는 조금 "
        "후합니다.",
        "how.evaluated": "레이블이 있는 메일 {judged}통을 판정했습니다.",
        "how.learnt": "그중 {n}통은 학습한 메일이므로 이 수치는 실제보다 좋게 나옵니다.",
        "how.few": "알 수 없습니다. 클래스마다 메일이 너무 적어 떼어 둘 수 없습니다. 다른 메일로 deciban evaluate를 "
        "쓰십시오.",
        "how.failed": "알 수 없습니다. 메일의 5분의 4로는 학습할 수 없었습니다. {why}",
        "curves.none": "곡선을 그리려면 모든 클래스의 메일이 필요합니다.",
        "learning.model": "떼어 둔 메일",
        "learning.learnt": "학습한 메일 수",
        "samples": "메일",
        "samples.fresh": "모두 필터가 학습하지 않은 메일입니다.",
        "samples.wrong": "잘못 분류한 메일, 확신이 큰 순서:",
        "samples.wrong.none": "잘못 분류한 메일이 없습니다.",
        "samples.right": "바르게 분류한 메일, 확신이 가장 작은 것과 클래스마다 가장 큰 것:",
        "samples.right.none": "바르게 분류한 메일이 없습니다.",
        "proof.n": "메일 수",
        "proof.d": "단어 수",
        "again.typed": "다음과 같은 명령에 메일의 경로를 주면 다시 학습합니다:",
    },
}
"""Texts of pages, in the place of those of the same key."""
