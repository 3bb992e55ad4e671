"""What docs/compare.md says of the learning curves and of the efficiencies."""

from __future__ import annotations

from compare_cases import BAYES, DISCRIMINANT, LOGISTIC, LOOSE, PLAIN
from compare_claims import Claim, Seen


def _holds(seen: Seen) -> bool:
    """The discriminant where its assumption is true."""
    scarce = seen.less("normal", PLAIN, LOOSE, 40, 80, 160) and seen.less("normal", LOOSE, PLAIN, 20)
    return scarce and seen.alike("normal", PLAIN, LOOSE, 0.003, 640, 1280)


def _penalised(seen: Seen) -> bool:
    saved = seen.less("normal", LOGISTIC, LOOSE, 20, 40) and seen.less("normal", DISCRIMINANT, PLAIN, 20)
    return saved and seen.alike("normal", DISCRIMINANT, LOGISTIC, 0.005, *seen.curves["normal"].sizes)


def _counts(seen: Seen) -> bool:
    return seen.less("poisson", BAYES, LOGISTIC, 80, 160, 320, 640, 1280) and seen.less("poisson", LOGISTIC, BAYES, 20)


def _quick(seen: Seen) -> bool:
    """Naive Bayes is soon near its own best, and passed by a model that may think otherwise."""
    curves = seen.curves["normal"]
    own = curves.share(BAYES, 40) - curves.share(BAYES, 1280)
    first = seen.less("normal", BAYES, LOOSE, 20, 40) and seen.crossing("normal", BAYES, LOOSE) == 80
    return own < 0.01 and first and seen.less("normal", LOOSE, BAYES, 160, 320, 640, 1280)


def _wrong(seen: Seen) -> bool:
    tails = seen.less("skewed", LOGISTIC, DISCRIMINANT, 20, 40, 80, 160, 320)
    return tails and seen.less("topics", LOGISTIC, BAYES, 80, 160, 320, 640, 1280)


def _cancer(seen: Seen) -> bool:
    return seen.less("cancer", LOGISTIC, DISCRIMINANT, 25, 50, 200, 400)


def _texts(seen: Seen) -> bool:
    first = all(seen.less(name, BAYES, LOGISTIC, *seen.curves[name].sizes[:2]) for name in ("sms", "mail", "news"))
    ahead = seen.less("sms", BAYES, LOGISTIC, 3200) and seen.alike("mail", BAYES, LOGISTIC, 0.003, 3200)
    return (
        first and ahead and seen.crossing("news", BAYES, LOGISTIC) == 800 and seen.less("news", LOGISTIC, BAYES, 1600)
    )


CURVE_CLAIMS: tuple[Claim, ...] = (
    Claim(
        """
- **Where the assumption holds, and examples are few, the generative model is ahead, and loses nothing later.** On
normal classes of one covariance, neither shrunk nor penalised, the discriminant errs clearly less with 40, 80 and 160
examples: {normal[discriminant, not shrunk][40]} against {normal[logistic, hardly penalised][40]},
{normal[discriminant, not shrunk][80]} against {normal[logistic, hardly penalised][80]}, {normal[discriminant, not
shrunk][160]} against {normal[logistic, hardly penalised][160]}. From 640 on they do the same. With 20 examples of ten
columns it is the other way round, {normal[discriminant, not shrunk][20]} against {normal[logistic, hardly
penalised][20]}: a covariance asks for more examples than that.
""",
        _holds,
    ),
    Claim(
        """
- **A penalty is an assumption, too.** With C = 1 logistic regression errs in {normal[logistic][20]} after 20 examples
of ten columns, hardly penalised in {normal[logistic, hardly penalised][20]}; the discriminant in
{normal[discriminant][20]} shrunk, in {normal[discriminant, not shrunk][20]} not shrunk. Shrunk and penalised the two
differ by less than half a point, however many examples there are: much of what a generative model wins on few
examples a prior wins as well.
""",
        _penalised,
    ),
    Claim(
        """
- **Counts that are Poisson** and independent: naive Bayes clearly errs less from 80 examples on, {poisson[naive
Bayes][320]} against {poisson[logistic][320]} with 320, and still {poisson[naive Bayes][1280]} against
{poisson[logistic][1280]} with 1,280. Both could draw the right line; naive Bayes has less to find out about it. With
20 examples logistic regression's penalty is the better guess ({poisson[logistic][20]} against {poisson[naive
Bayes][20]}).
""",
        _counts,
    ),
    Claim(
        """
- **An assumption that is nearly true is learnt quickly, and to the wrong line.** Naive Bayes takes the correlated
columns of the normal classes for independent: {normal[naive Bayes][40]} after 40 examples, {normal[naive
Bayes][1280]} after 1,280. Up to 40 it is ahead of logistic regression, hardly penalised; from {crossing[normal]} on
it is behind, and at last by {normal[logistic, hardly penalised][1280]} against {normal[naive Bayes][1280]}.
""",
        _quick,
    ),
    Claim(
        """
- **Where the assumption is false the discriminative model wins.** Columns with long tails pull at the means of the
discriminant: {skewed[discriminant][80]} against {skewed[logistic][80]} with 80 examples. Words that come together
count for naive Bayes as often as they come: {topics[naive Bayes][160]} against {topics[logistic][160]} with 160, and
{topics[naive Bayes][1280]} against {topics[logistic][1280]} with 1,280.
""",
        _wrong,
    ),
    Claim(
        """
- **Breast cancer**: thirty measurements of 569 tumours. Logistic regression errs clearly less than the
discriminant with 25 examples ({cancer[logistic][25]} against {cancer[discriminant][25]}), and with 400
({cancer[logistic][400]} against {cancer[discriminant][400]}).
""",
        _cancer,
    ),
    Claim(
        """
- **Texts have more words than examples**, and naive Bayes is ahead in all three slices at first: with 50 short
messages {sms[naive Bayes][50]} against {sms[logistic][50]}, with 50 mails {mail[naive Bayes][50]} against
{mail[logistic][50]}, with 100 posts {news[naive Bayes][100]} against {news[logistic][100]}. Of posts logistic
regression is ahead from {crossing[news]} on ({news[logistic][1600]} against {news[naive Bayes][1600]} with 1,600); of
mail it has nearly caught up with 3,200 ({mail[logistic][3200]} against {mail[naive Bayes][3200]}), of short messages
not ({sms[logistic][3200]} against {sms[naive Bayes][3200]}).
""",
        _texts,
    ),
)


def _efficient(seen: Seen) -> bool:
    falls = [each.ratio for each in seen.efficiencies]
    near = all(abs(each.ratio - each.theory) < 0.1 for each in seen.efficiencies)
    return near and falls == sorted(falls, reverse=True) and falls[-1] < 0.8


EFFICIENCY_CLAIMS: tuple[Claim, ...] = (
    Claim(
        """
- **The better classes can be told apart, the more the assumption is worth.** At Δ = 1 next to nothing; at Δ = 3 the
discriminant errs {efficient[3][ratio]} times what logistic regression does above the least error, and would need
{efficient[3][theory]} times the examples.
""",
        _efficient,
    ),
)
