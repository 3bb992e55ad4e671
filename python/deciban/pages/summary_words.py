"""Texts of the summary of a report, in English and in Korean."""

SUMMARY = {
    "en": {
        "summary": "Summary",
        "summary.next": "What to do next",
        "summary.unknown": "The error on new examples has not been measured.",
        "summary.unfinished": "Training did not converge: {status}.",
        "summary.trained": "The error on new examples is not known: {n} of these examples were training data.",
        "verdict.better": "Significantly better than always predicting '{label}', whose error is {error} (McNemar’s "
        "test, {p}).",
        "verdict.inconclusive": "Inconclusive: not significantly better than always predicting '{label}', whose error "
        "is {error} (McNemar’s test, {p}).",
        "verdict.poor": "Poor: no better than always predicting '{label}', whose error is {error} (McNemar’s test, "
        "{p}).",
        "verdict.worse": "Poor: significantly worse than always predicting '{label}', whose error is {error} "
        "(McNemar’s test, {p}).",
        "verdict.one": "Inconclusive: all examples are of one class, '{label}', and cannot show whether the model "
        "tells classes apart.",
        "figure.interval": "95 % interval {interval}",
        "figure.no_interval": "no interval: the bootstrap needs errors in the ranking",
        "figure.baseline": "always '{label}': {error}",
        "figure.area": "1: perfect ranking, 0.5: random",
        "figure.chance": "calibrated probabilities, by chance: {chance}",
        "figure.recall": "lowest recall",
        "figure.of": "class '{label}'",
        "figure.features": "{d} features",
        "figure.optimistic": "lower than the error on new examples, as a rule",
        "next.converge": "Train again until it converges.",
        "next.measure": "Evaluate the model on labelled examples that it was not trained on.",
        "next.fresh": "Evaluate the model on examples that it was not trained on.",
        "next.classes": "Evaluate the model on examples of every class.",
        "next.leaks": "Check for leaks of the label: {columns}.",
        "next.poor": "Do not rely on the predictions. Check labels and features, and compare other types of model.",
        "next.more": "Evaluate more examples: with {n}, the 95 % interval of the error is {points} percentage points "
        "wide; four times as many halve it.",
        "next.learn": "Label more training examples: with {m} instead of {n}, the error fell from {before} to {after}.",
        "next.calibrate": "Calibrate the probabilities: their error is larger than chance explains ({chance}).",
        "next.confusion": "Look into the most frequent confusion: {pair}, {share}.",
        "next.read": "Read the misclassified examples: wrong labels show there.",
        "next.costs": "Choose the threshold by what each error costs.",
        "next.nothing": "These figures ask for no change.",
        "details.table": "Table",
        "details.all": "All values",
        "details.classes": "More classes",
        "summary.compared.none": "No model was finished.",
        "summary.compared.single": "One model was evaluated.",
        "summary.compared.poor": "Poor: no model has a smaller error than the majority-class baseline.",
        "summary.compared.alike": "{best} has the smallest error; for {n} of the others the difference is not "
        "significant.",
        "summary.compared.best": "{best} has the smallest error; every other model has a significantly larger one.",
        "figure.smallest": "smallest error",
        "figure.alike": "not distinguishable",
        "figure.alike.of": "of {n} other models",
        "next.complete": "Complete the comparison: not all models were finished.",
        "next.simplest": "Use {model}, the simplest of the models whose errors are not significantly different.",
        "next.best": "Use {model}.",
        "next.repeats": "Repeat with --repeats for tests with more power.",
    },
    "ko": {
        "summary": "요약",
        "summary.next": "다음에 할 일",
        "summary.unknown": "새 예제에서의 오류율은 아직 측정하지 않았습니다.",
        "summary.unfinished": "학습이 수렴하지 않았습니다: {status}.",
        "summary.trained": "새 예제에서의 오류율은 알 수 없습니다. 이 예제 가운데 {n}개는 학습 데이터였습니다.",
        "verdict.better": "항상 ‘{label}’(으)로 예측하는 것(오류율 {error})보다 유의하게 낫습니다(맥니마 검정, {p}).",
        "verdict.inconclusive": "결론을 내릴 수 없습니다. 항상 ‘{label}’(으)로 예측하는 것(오류율 {error})보다 "
        "유의하게 낫지는 않습니다(맥니마 검정, {p}).",
        "verdict.poor": "쓸 만하지 않습니다. 항상 ‘{label}’(으)로 예측하는 것(오류율 {error})보다 낫지 않습니다"
        "(맥니마 검정, {p}).",
        "verdict.worse": "쓸 만하지 않습니다. 항상 ‘{label}’(으)로 예측하는 것(오류율 {error})보다 유의하게 "
        "나쁩니다(맥니마 검정, {p}).",
        "verdict.one": "결론을 내릴 수 없습니다. 예제가 모두 ‘{label}’ 클래스여서 모형이 클래스를 "
        "구별하는지 알 수 없습니다.",
        "figure.interval": "95 % 신뢰 구간 {interval}",
        "figure.no_interval": "구간 없음: 부트스트랩에는 순위의 오류가 필요합니다",
        "figure.baseline": "항상 ‘{label}’: {error}",
        "figure.area": "1: 완벽한 순위, 0.5: 무작위",
        "figure.chance": "보정된 확률이라도 우연히: {chance}",
        "figure.recall": "가장 낮은 재현율",
        "figure.of": "‘{label}’ 클래스",
        "figure.features": "특징 {d}개",
        "figure.optimistic": "대개 새 예제에서의 오류율보다 낮습니다",
        "next.converge": "수렴할 때까지 다시 학습하십시오.",
        "next.measure": "학습하지 않은, 레이블이 있는 예제로 모형을 평가하십시오.",
        "next.fresh": "학습하지 않은 예제로 모형을 평가하십시오.",
        "next.classes": "모든 클래스의 예제로 모형을 평가하십시오.",
        "next.leaks": "레이블이 누출되는지 확인하십시오: {columns}.",
        "next.poor": "예측을 믿지 마십시오. 레이블과 특징을 확인하고, 다른 종류의 모형과 비교하십시오.",
        "next.more": "더 많은 예제로 평가하십시오. {n}개로는 오류율의 95 % 신뢰 구간의 너비가 "
        "{points}퍼센트포인트입니다. 네 배로 늘리면 절반이 됩니다.",
        "next.learn": "학습할 예제를 늘리십시오. {n}개에서 {m}개로 늘렸을 때 오류율이 {before}에서 {after}(으)로 "
        "줄었습니다.",
        "next.calibrate": "확률을 보정하십시오. 보정 오차가 우연({chance})으로 설명되는 것보다 큽니다.",
        "next.confusion": "가장 잦은 혼동을 살펴보십시오: {pair}, {share}.",
        "next.read": "잘못 분류한 예제를 읽어 보십시오. 틀린 레이블이 거기서 드러납니다.",
        "next.costs": "오류마다 드는 비용에 따라 임계값을 정하십시오.",
        "next.nothing": "이 수치로 보아 바꿀 것은 없습니다.",
        "details.table": "표",
        "details.all": "모든 값",
        "details.classes": "나머지 클래스",
        "summary.compared.none": "끝까지 학습한 모형이 없습니다.",
        "summary.compared.single": "모형 하나를 평가했습니다.",
        "summary.compared.poor": "쓸 만하지 않습니다. 다수 클래스 기준선보다 오류율이 낮은 모형이 없습니다.",
        "summary.compared.alike": "{best} 모형의 오류율이 가장 낮습니다. 나머지 가운데 {n}개와는 차이가 유의하지 "
        "않습니다.",
        "summary.compared.best": "{best} 모형의 오류율이 가장 낮습니다. 나머지는 모두 오류율이 유의하게 높습니다.",
        "figure.smallest": "가장 낮은 오류율",
        "figure.alike": "구별되지 않는 모형",
        "figure.alike.of": "나머지 모형 {n}개 가운데",
        "next.complete": "비교를 끝까지 진행하십시오. 끝나지 않은 모형이 있습니다.",
        "next.simplest": "오류율이 유의하게 다르지 않은 모형 가운데 가장 단순한 {model} 모형을 쓰십시오.",
        "next.best": "{model} 모형을 쓰십시오.",
        "next.repeats": "검정력을 높이려면 --repeats로 되풀이하십시오.",
    },
}
"""Texts by language and key."""

SUMMARY_OF_MAIL = {
    "en": {
        "summary.unknown": "The error on new messages has not been measured.",
        "summary.trained": "The error on new messages is not known: {n} of these messages were training data.",
        "verdict.one": "Inconclusive: all messages are of one class, '{label}', and cannot show whether the filter "
        "tells classes apart.",
        "next.measure": "Evaluate the filter on labelled messages that it was not trained on.",
        "next.fresh": "Evaluate the filter on messages that it was not trained on.",
        "next.classes": "Evaluate the filter on messages of every class.",
        "next.more": "Evaluate more messages: with {n}, the 95 % interval of the error is {points} percentage points "
        "wide; four times as many halve it.",
        "next.learn": "Label more training messages: with {m} instead of {n}, the error fell from {before} to {after}.",
        "next.read": "Read the misclassified messages: wrong labels show there.",
        "figure.features": "{d} words",
        "figure.optimistic": "lower than the error on new messages, as a rule",
    },
    "ko": {
        "summary.unknown": "새 메일에서의 오류율은 아직 측정하지 않았습니다.",
        "summary.trained": "새 메일에서의 오류율은 알 수 없습니다. 이 메일 가운데 {n}통은 학습 데이터였습니다.",
        "verdict.one": "결론을 내릴 수 없습니다. 메일이 모두 ‘{label}’ 클래스여서 필터가 클래스를 "
        "구별하는지 알 수 없습니다.",
        "next.measure": "학습하지 않은, 레이블이 있는 메일로 필터를 평가하십시오.",
        "next.fresh": "학습하지 않은 메일로 필터를 평가하십시오.",
        "next.classes": "모든 클래스의 메일로 필터를 평가하십시오.",
        "next.more": "더 많은 메일로 평가하십시오. {n}통으로는 오류율의 95 % 신뢰 구간의 너비가 "
        "{points}퍼센트포인트입니다. 네 배로 늘리면 절반이 됩니다.",
        "next.learn": "학습할 메일을 늘리십시오. {n}통에서 {m}통으로 늘렸을 때 오류율이 {before}에서 {after}(으)로 "
        "줄었습니다.",
        "next.read": "잘못 분류한 메일을 읽어 보십시오. 틀린 레이블이 거기서 드러납니다.",
        "figure.features": "단어 {d}개",
        "figure.optimistic": "대개 새 메일에서의 오류율보다 낮습니다",
    },
}
"""Those of mail, in the place of those of the same key."""
