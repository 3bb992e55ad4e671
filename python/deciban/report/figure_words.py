"""Texts of figures, in English and in Korean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

ENGLISH: Mapping[str, str] = {
    "examples": "examples learnt",
    "one": "1 example",
    "many": "{n} examples",
    "between": "{low} to {high}",
    "interval": "95 % interval {low} to {high}",
    "threshold": "threshold {threshold}",
    "rest": "the rest",
    "one-sided": "there are examples of one side only",
    "none": "there are no examples of {positive}",
    "worst": "the {shown} of {all} classes with the smallest area",
    "chance": "random classifier",
    "confusion": "confusion",
    "confusion.x": "predicted class",
    "confusion.y": "true class",
    "confusion.others": "others ({n})",
    "confusion.most": "the {shown} of {all} classes that are confused most",
    "confusion.says": "{title}: {n} of {classes} classes, {wrong} misclassified, {error} (95 % interval {interval})",
    "confusion.pair": "{true} classified as {called}: {count} of {n}",
    "corner": "the corner, larger",
    "roc": "ROC",
    "roc.x": "false-positive rate: {others} as {positive}",
    "roc.y": "true-positive rate of {positive}",
    "roc.x.each": "false-positive rate",
    "roc.y.each": "true-positive rate",
    "roc.area": "ROC, area {area}",
    "roc.point": "{threshold}: {alarms} of {others}, {found} of {positive}",
    "roc.says": "{title}: {positive} against {others}, {n}; area {area}",
    "roc.says.point": "at {threshold}, {alarms} of {others} and {found} of {positive} are classified as {positive}",
    "each.area": "{name}: area {area}",
    "each.says": "{title}: each class against the rest, {n}; area by class: {areas}",
    "pr": "precision and recall",
    "pr.x": "recall of {positive}",
    "pr.y": "precision for {positive}",
    "pr.x.each": "recall",
    "pr.y.each": "precision",
    "pr.area": "precision, area {area}",
    "pr.base": "everything classified as {positive}: {share}",
    "pr.point": "{threshold}: recall {found}, precision {precision}",
    "pr.says": "{title}: {positive} against {others}, {n}; area {area}, of a constant classifier {share}",
    "pr.says.point": "at {threshold}, recall is {found} and precision {precision}",
    "cost": "cost",
    "cost.x": "weight of missed {positive} (probability-cost)",
    "cost.y": "expected cost, as a share of the worst",
    "cost.best": "the best threshold for each weight",
    "cost.trivial": "constant classifier",
    "cost.point": "here: {cost}",
    "cost.says": "{title}: {positive} against {others}, {n}; a missed {positive} counts {miss}, a false alarm {alarm}",
    "cost.says.point": "at {threshold} the cost is {cost} of the worst; the best threshold would cost {best}, a "
    "constant classifier {trivial}",
    "reliability": "reliability",
    "reliability.x": "predicted probability of {positive}",
    "reliability.y": "share of {positive}",
    "reliability.x.each": "probability of the predicted class",
    "reliability.y.each": "accuracy",
    "reliability.exact": "perfectly calibrated",
    "reliability.bins": "examples in each bin: {count}; 95 % interval",
    "reliability.error": "calibration error {error} ({interval})",
    "reliability.chance": "exact probabilities, by chance: {chance}",
    "reliability.says": "{title}: {what}, {n}, in each bin {count}; calibration error {error} (95 % interval "
    "{interval}), of exact probabilities by chance {chance}; log loss {loss} nats{loss_interval}",
    "reliability.positive": "the probability of {positive}",
    "reliability.confidence": "the probability of the predicted class",
    "reliability.bin": "predicted {said} but observed {seen}",
    "reliability.farthest": "largest deviations: {bins}",
    "errors": "learning curve",
    "error": "error",
    "log loss": "log loss",
    "error.says": "{title}: {measure} by the number of examples learnt, {first} to {last}",
    "error.at": "{name} {value} after {size}",
}

KOREAN: Mapping[str, str] = {
    "examples": "학습한 예제의 수",
    "one": "예제 1개",
    "many": "예제 {n}개",
    "between": "{low} ~ {high}",
    "interval": "95 % 구간 {low} ~ {high}",
    "threshold": "임계값 {threshold}",
    "rest": "나머지",
    "one-sided": "한쪽 예제만 있습니다",
    "none": "예제가 없는 클래스: {positive}",
    "worst": "{all}개 클래스 가운데 넓이가 가장 작은 {shown}개",
    "chance": "무작위 분류기",
    "confusion": "혼동 행렬",
    "confusion.x": "판정",
    "confusion.y": "실제 클래스",
    "confusion.others": "그 밖 ({n})",
    "confusion.most": "{all}개 클래스 가운데 가장 많이 혼동된 {shown}개",
    "confusion.says": "{title}: {n}, 클래스 {classes}개, 오류 {wrong}개, {error} (95 % 구간 {interval})",
    "confusion.pair": "{true} → {called}: {n}개 중 {count}개",
    "corner": "모서리 확대",
    "roc": "ROC",
    "roc.x": "거짓 양성 비율: {others} → {positive}",
    "roc.y": "{positive}의 참 양성 비율",
    "roc.x.each": "거짓 양성 비율",
    "roc.y.each": "참 양성 비율",
    "roc.area": "ROC, 넓이 {area}",
    "roc.point": "{threshold}: {others} {alarms}, {positive} {found}",
    "roc.says": "{title}: {positive} 대 {others}, {n}; 넓이 {area}",
    "roc.says.point": "{threshold}: {positive} 판정을 받은 {others} {alarms}, 찾아낸 {positive} {found}",
    "each.area": "{name}: 넓이 {area}",
    "each.says": "{title}: 클래스마다 나머지에 대하여, {n}; 클래스별 넓이: {areas}",
    "pr": "정밀도와 재현율",
    "pr.x": "{positive}의 재현율",
    "pr.y": "{positive}의 정밀도",
    "pr.x.each": "재현율",
    "pr.y.each": "정밀도",
    "pr.area": "정밀도, 넓이 {area}",
    "pr.base": "모두 {positive} 판정: {share}",
    "pr.point": "{threshold}: 재현율 {found}, 정밀도 {precision}",
    "pr.says": "{title}: {positive} 대 {others}, {n}; 넓이 {area}, 모두 그렇게 판정하면 {share}",
    "pr.says.point": "{threshold}: 재현율 {found}, 정밀도 {precision}",
    "cost": "비용",
    "cost.x": "놓친 {positive}의 비중 (확률·비용)",
    "cost.y": "기대 비용 (최악에 대한 비율)",
    "cost.best": "비중마다 가장 좋은 임계값",
    "cost.trivial": "모두 같은 판정",
    "cost.point": "지금: {cost}",
    "cost.says": "{title}: {positive} 대 {others}, {n}; 놓친 {positive}의 비용 {miss}, 거짓 경보의 비용 {alarm}",
    "cost.says.point": "{threshold}: 비용은 최악의 {cost}, 가장 좋은 임계값이면 {best}, 모두 같은 판정이면 {trivial}",
    "reliability": "신뢰도",
    "reliability.x": "{positive}: 예측 확률",
    "reliability.y": "{positive}: 관측 비율",
    "reliability.x.each": "예측한 클래스의 확률",
    "reliability.y.each": "맞은 비율",
    "reliability.exact": "완전한 보정",
    "reliability.bins": "칸마다 예제의 수: {count}; 95 % 구간",
    "reliability.error": "보정 오차 {error} ({interval})",
    "reliability.chance": "확률이 정확해도 우연히: {chance}",
    "reliability.says": "{title}: {what}, {n}, 칸마다 {count}; 보정 오차 {error} (95 % 구간 {interval}), 확률이 "
    "정확해도 우연히 {chance}; 로그 손실 {loss} nat{loss_interval}",
    "reliability.positive": "{positive}의 확률",
    "reliability.confidence": "판정한 클래스의 확률",
    "reliability.bin": "예측 {said}, 관측 {seen}",
    "reliability.farthest": "가장 벗어난 칸: {bins}",
    "errors": "학습 곡선",
    "error": "오류율",
    "log loss": "로그 손실",
    "error.says": "{title}: 학습한 예제의 수에 따른 {measure}, {first}개부터 {last}개까지",
    "error.at": "{name} {value} ({size}개 학습 후)",
}

Say = Callable[..., str]
CATALOGUES = {"en": ENGLISH, "ko": KOREAN}
MAIL = {
    "en": {
        "examples": "messages learnt",
        "one": "1 message",
        "many": "{n} messages",
        "one-sided": "there are messages of one side only",
        "none": "there are no messages of {positive}",
        "reliability.bins": "messages in each bin: {count}; 95 % interval",
        "error.says": "{title}: {measure} by the number of messages learnt, {first} to {last}",
    },
    "ko": {
        "examples": "학습한 메일의 수",
        "one": "메일 1통",
        "many": "메일 {n}통",
        "one-sided": "한쪽 메일만 있습니다",
        "none": "메일이 없는 클래스: {positive}",
        "reliability.bins": "칸마다 메일의 수: {count}; 95 % 구간",
        "error.says": "{title}: 학습한 메일의 수에 따른 {measure}, {first}통부터 {last}통까지",
        "error.at": "{name} {value} ({size}통 학습 후)",
    },
}
"""What figures about mail say otherwise."""
OF_MAIL = "-x-mail"
"""Behind a language, where the examples are messages."""


def speaking(language: str) -> Say:
    """Return the function that writes a text of the catalogue, by its key and values.

    >>> speaking("ko")("pr.x", positive="spam")
    'spam의 재현율'
    >>> speaking("en-x-mail")("many", n=3)
    '3 messages'
    """
    language, mail = language.removesuffix(OF_MAIL), language.endswith(OF_MAIL)
    if language not in CATALOGUES:
        raise ValueError(f"language must be one of {', '.join(map(repr, CATALOGUES))}, got {language!r}")
    texts = {**CATALOGUES[language], **(MAIL[language] if mail else {})}
    return lambda key, **given: texts[key].format(**given)
