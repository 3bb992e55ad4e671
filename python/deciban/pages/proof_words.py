"""What certificates say, in Korean: models keep it in English in their files, as solvers wrote it.

A text is known by a pattern, in which `{name}` stands for a value. A value has a text of its own where one is known by
it, else it is a number or the name of a parameter's value, which is the same in all languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

_OBJECTIVES = {
    "log loss of each example before it is learnt, a mean": "학습하기 전에 한 예측의 평균 로그 손실",
    "−log joint likelihood of labels and {family} features {estimated}; class prior {prior}": (
        "레이블과 특징({family})의 음의 로그 결합 우도, {estimated}. 클래스의 사전 확률: {prior}"
    ),
    "with {alpha} pseudo-counts an outcome, so that its minimum is the posterior mean": (
        "결과마다 가상 횟수 {alpha}, 최소점은 사후 평균"
    ),
    "with {alpha} pseudo-counts an outcome, integrated over the posterior about its minimum": (
        "결과마다 가상 횟수 {alpha}, 최소점 둘레의 사후 분포로 적분"
    ),
    "and of the prior with alpha = {alpha}, so that its minimum is the posterior mode": (
        "사전 분포 alpha = {alpha} 포함, 최소점은 사후 최빈값"
    ),
    "alone, so that its minimum is the raw ratios": "사전 분포 없음, 최소점은 관측된 비율",
    "each column's": "열마다 다름",
    "given": "지정한 값",
    "empirical": "관측된 비율",
    "uniform": "균등",
    "multinomial": "다항",
    "bernoulli": "베르누이",
    "complement": "여집합",
    "Σ c·{loss} + {penalty}, from the sufficient statistic, {n} problems": (
        "Σ c·{loss} + {penalty}, 충분통계량에서 계산, 문제 {n}개"
    ),
    "Σ c·{loss} + {penalty}, {solver}, {n} problems": "Σ c·{loss} + {penalty}, 풀이법 {solver}, 문제 {n}개",
    "newton in partitions": "newton(나눈 데이터)",
    "½‖w‖² + {loss}, kernel {kernel}, {solver}, {n} problems": (
        "½‖w‖² + {loss}, 커널 {kernel}, 풀이법 {solver}, 문제 {n}개"
    ),
    "½‖w‖² + {loss}, kernel {kernel}, {solver}": "½‖w‖² + {loss}, 커널 {kernel}, 풀이법 {solver}",
    "{network}, a tenth held out": "{network}, 10분의 1은 떼어 둠",
    "Σ c·{loss} / Σ c, {network}": "Σ c·{loss} / Σ c, {network}",
    "Σ c·{loss} / Σ c + {penalty}, {network}": "Σ c·{loss} / Σ c + {penalty}, {network}",
}
_ADVICE = {
    "Four passes over the examples: nothing to do.": "데이터를 네 번 훑었습니다. 더 할 일은 없습니다.",
    "closed form": "닫힌 식으로 풀었습니다.",
    "raise max_iter, or tol": "max_iter나 tol을 키우십시오.",
    "raise time_limit, or tol": "time_limit이나 tol을 키우십시오.",
    "raise {limit}": "{limit} 값을 키우십시오.",
    "columns of very different scale slow solvers down: scale them first": (
        "크기가 많이 다른 열은 풀이를 늦추므로 먼저 크기를 맞추십시오."
    ),
    "the callback said stop: these are the best weights until then": (
        "콜백이 멈추게 했습니다. 그때까지 가장 좋은 가중치입니다."
    ),
    "interrupted: these are the best weights until then": "중단되었습니다. 그때까지 가장 좋은 가중치입니다.",
    "these are the best weights until then": "그때까지 가장 좋은 가중치입니다.",
    "each example was learnt from once: the regret is bounded, but no minimum was sought, which fit finds": (
        "예제마다 한 번씩만 학습했습니다. 후회에는 한계가 있지만 최솟값을 찾지는 않았습니다. 최솟값은 fit이 찾습니다."
    ),
    "the data are separable and nothing is penalised, so the weights grow for ever: add a penalty": (
        "데이터가 분리 가능하고 벌점이 없어서 가중치가 끝없이 커집니다. 벌점을 주십시오."
    ),
    "the numbers left the range of a float64: scale the columns, or take a smaller step": (
        "수가 float64의 범위를 벗어났습니다. 열의 크기를 맞추거나 보폭을 줄이십시오."
    ),
    "columns differ in size by a factor of {factor}: scale them, as the penalty cannot": (
        "열의 크기가 {factor}배까지 다릅니다. 벌점은 이를 바로잡지 못하므로 크기를 맞추십시오."
    ),
    "no hyperplane may separate these data: pocket=True keeps the best one met, averaged=True the mean": (
        "이 데이터를 나누는 초평면이 없을 수 있습니다. pocket=True는 만난 것 가운데 가장 좋은 것을, "
        "averaged=True는 평균을 남깁니다."
    ),
    "the best hyperplane met": "만난 초평면 가운데 가장 좋은 것입니다.",
    "the mean of the hyperplanes met": "만난 초평면의 평균입니다.",
    "LogisticRegression and LinearSVM find the optimum of a convex error": (
        "LogisticRegression과 LinearSVM은 볼록한 오차의 최적점을 찾습니다."
    ),
    "the rank is {rank} of {d}: the weights are not unique, and the shortest were taken": (
        "계수(rank)가 {d} 가운데 {rank}입니다. 가중치가 하나로 정해지지 않아 가장 짧은 것을 골랐습니다."
    ),
    "drop columns that are combinations of others, learn more rows, or use penalty='l2'": (
        "다른 열의 조합인 열을 빼거나, 행을 더 학습하거나, penalty='l2'를 쓰십시오."
    ),
    "the condition number is {number}: scale the columns": "조건수가 {number}입니다. 열의 크기를 맞추십시오.",
    "the condition number is {number}: columns are nearly combinations of others: drop some, or use penalty='l2'": (
        "조건수가 {number}입니다. 열들이 거의 다른 열의 조합이므로 몇 개를 빼거나 penalty='l2'를 쓰십시오."
    ),
    "an approximation by {landmarks} landmarks for {rows} rows": (
        "행 {rows}개를 랜드마크 {landmarks}개로 근사했습니다."
    ),
    "its objective is at most {percent} % above that of the exact machine": (
        "목적 함수는 정확한 모형보다 많아야 {percent} % 큽니다."
    ),
    "its objective is at most {percent} % (± {error}, from a sample) above that of the exact machine": (
        "목적 함수는 정확한 모형보다 많아야 {percent} %(표본으로 잰 값, ± {error}) 큽니다."
    ),
    "over {pairs} pairs of rows the features differ from the kernel by {rms} (root mean square) and {largest} "
    "(largest), where its values are up to {scale}": (
        "행 {pairs}쌍에서 특징과 커널의 차이는 제곱평균제곱근 {rms}, 최대 {largest}이고 커널의 값은 {scale}까지입니다"
    ),
    "{deviation}. More landmarks need more memory_mb": "{deviation}. 랜드마크를 늘리려면 memory_mb를 키우십시오.",
    "solver='blocks' is exact": "solver='blocks'는 정확합니다.",
    "the error was still falling: raise {limit}": "오차가 아직 줄고 있었습니다. {limit} 값을 키우십시오.",
    "no step lowers the error, but its gradient is not small: a kink of relu, or the last digit": (
        "어느 쪽으로도 오차가 줄지 않지만 기울기는 작지 않습니다. relu가 꺾이는 곳이거나 마지막 자릿수의 한계입니다."
    ),
    "these are the last good weights: scale the columns, lower learning_rate, or set clip_norm": (
        "마지막으로 온전했던 가중치입니다. 열의 크기를 맞추거나, learning_rate를 낮추거나, clip_norm을 정하십시오."
    ),
    "gradients vanish: layer {layer} gets {share} of what the last layer gets: {remedy}": (
        "기울기가 사라집니다. 층 {layer}의 기울기는 마지막 층의 {share}배입니다. {remedy}"
    ),
    "nothing": "0",
    "take fewer layers": "층을 줄이십시오.",
    "activation='relu' or fewer layers help": "activation='relu'를 쓰거나 층을 줄이면 나아집니다.",
    "{share} % of the units of layer {layer} are dead ({kind}): {remedy}": (
        "층 {layer}의 유닛 가운데 {share} %가 죽었습니다({kind}). {remedy}"
    ),
    "never active": "켜지는 일이 없음",
    "always saturated": "언제나 포화됨",
    "units of layer {layer} are saturated on {share} % of the examples: {remedy}": (
        "층 {layer}의 유닛이 예제의 {share} %에서 포화되었습니다. {remedy}"
    ),
    "the weights of layer {layer} left the range of {type}": "층 {layer}의 가중치가 {type}의 범위를 벗어났습니다.",
    "the signals of layer {layer} left the range of {type}": "층 {layer}의 신호가 {type}의 범위를 벗어났습니다.",
    "the error left the range of {type}": "오차가 {type}의 범위를 벗어났습니다.",
    "scale the columns, or lower learning_rate": "열의 크기를 맞추거나 learning_rate를 낮추십시오.",
}
_CALIBRATIONS = {
    "a line, by the scores of examples before they were learnt": "학습하기 전의 점수에 맞춘 직선",
    "a line, on {i} of {k} folds": "폴드 {k}개 중 {i}개의 점수에 맞춘 직선",
    "a line, on {k} folds": "폴드 {k}개의 점수에 맞춘 직선",
    "{method} on {i} of {k} folds": "폴드 {k}개 중 {i}개의 점수로 보정({method})",
    "{method} on {k} folds": "폴드 {k}개의 점수로 보정({method})",
    "{method} on {k} parts left out": "떼어 둔 부분 {k}개의 점수로 보정({method})",
    "none: a posterior": "보정 없음: 사후 확률",
    "none: only margins": "없음: 마진뿐",
    "none: no probabilities": "없음",
    "none: scores are taken as log-odds": "보정 없음: 점수를 로그 오즈로 봄",
    "none: {loss} was minimised": "보정 없음: {loss} 최소화",
    "log loss": "로그 손실",
    "temperature": "온도",
    "platt": "플랫",
    "isotonic": "단조 회귀",
    "beta": "베타",
}
_LONGEST = 1_000
"""Characters of a text that is looked up: a file may hold any."""
KOREAN: Mapping[str, str] = _OBJECTIVES | _ADVICE | _CALIBRATIONS


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(_pattern(english), text) for english, text in KOREAN.items()]


def _pattern(english: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", english)
    made = (f"(?P<{each}>[^;]+?)" if k % 2 else re.escape(each) for k, each in enumerate(pieces))
    return re.compile("".join(made))


def translate_proof(text: str, language: str) -> str | None:
    """Return a text of a certificate in a language, part by part; None where it has a part that is not known there.

    >>> translate_proof("a line, on 10 folds", "ko"), translate_proof("raise max_iter; do more", "ko")
    ('폴드 10개의 점수에 맞춘 직선', None)
    """
    if language == "en":
        return text
    if len(text) > _LONGEST:
        return None
    whole = _translate(text)
    if whole is not None or "; " not in text:
        return whole
    parts = [_translate(part) for part in text.split("; ")]
    return None if None in parts else " ".join(part for part in parts if part)


def _translate(text: str) -> str | None:
    """Return what the first pattern of a text says; a text without words is the same in every language."""
    if not re.search(r"[^\W\d_]{2}", text):
        return text
    for pattern, said in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            return said.format(**{name: _translate(value) or value for name, value in found.groupdict().items()})
    return None
