"""Texts of languages with and without spaces: how sentences are cut, classes learnt, places shown.

No corpus of Chinese, Japanese, Thai, Lao, Burmese or Khmer is at hand: the classes are sentences made up of words of
two topics, in random order.
"""

import numpy as np
import pytest

from deciban import TextClassifier
from deciban._core import Reader
from oracle import tokens as oracle

SENTENCES = {
    "Korean": ("영화를 봤다", ["영화를", "영화", "화를", "봤다", "영화를 봤다"]),
    "Chinese": ("我喜欢", ["我", "喜", "我喜", "欢", "喜欢", "我喜欢"]),
    "Japanese": ("面白い。", ["面", "白", "面白", "い", "白い", "面白い"]),
    "Thai": ("น้ำดี", ["น้ำดี"]),
    "Thai with leading vowels": ("เที่ยว", ["เที่", "ที่ย", "เที่ย", "ยว", "ที่ยว", "เที่ยว"]),
    "Lao": ("ສະບາຍ", ["ສະ", "ະບ", "ສະບ", "ບາ", "ະບາ", "ສະບາ", "າຍ", "ບາຍ", "ະບາຍ"]),
    "Burmese": ("မင်္ဂလာ", ["မင်္ဂ", "င်္ဂလာ", "မင်္ဂလာ"]),
    "Khmer": ("សួស្តី", ["សួស្តី"]),
}
# Words of sport, of cooking, and of any sentence.
TOPICS = {
    "Korean": (
        "축구를 선수가 경기에서 골을 감독은",
        "냄비에 소금을 끓인다 요리를 양파와",
        "오늘 우리는 그리고 정말 모두",
    ),
    "Chinese": ("足球 球员 比赛 进球 教练", "锅里 放盐 煮汤 做菜 洋葱", "今天 我们 然后 真的 大家"),
    "Japanese": ("サッカー 選手 試合 ゴール 監督", "鍋に 塩を 煮る 料理 玉ねぎ", "今日は 私たち そして 本当に みんな"),
    "Thai": ("ฟุตบอล นักเตะ แข่งขัน ประตู โค้ช", "หม้อ เกลือ ต้ม ทำอาหาร หัวหอม", "วันนี้ พวกเรา แล้ว จริงๆ ทุกคน"),
    "Lao": ("ບານເຕະ ນັກກິລາ ແຂ່ງຂັນ ປະຕູ ຄູຝຶກ", "ໝໍ້ ເກືອ ຕົ້ມ ອາຫານ ຜັກບົ່ວ", "ມື້ນີ້ ພວກເຮົາ ແລ້ວ ແທ້ໆ ທຸກຄົນ"),
    "Burmese": ("ဘောလုံး ကစားသမား ပြိုင်ပွဲ ဂိုး နည်းပြ", "အိုး ဆား ပြုတ် ချက် ကြက်သွန်", "ဒီနေ့ ငါတို့ ပြီးတော့ တကယ် အားလုံး"),
    "Khmer": ("បាល់ទាត់ កីឡាករ ប្រកួត ទី គ្រូបង្វឹក", "ឆ្នាំង អំបិល ស្ងោរ ចម្អិន ខ្ទឹម", "ថ្ងៃនេះ យើង ហើយ ពិត ទាំងអស់"),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_cut_as_they_are_read(language):
    sentence, expected = SENTENCES[language]
    assert Reader("text", (1, 2)).tokens(sentence) == expected
    assert oracle.tokens(sentence, 1, 2) == expected


def sentences(language, n, seed):
    """Sentences of two topics: two words of the topic among four of any sentence."""
    random, gap = np.random.default_rng(seed), " " if language == "Korean" else ""
    *topics, common = (words.split() for words in TOPICS[language])
    for i in range(n):
        words = [*random.choice(topics[i % 2], 2), *random.choice(common, 4)]
        yield gap.join(random.permutation(words)), i % 2


@pytest.mark.parametrize("model", ["naive-bayes", "online"])
@pytest.mark.parametrize("language", TOPICS)
def test_topics_are_learnt_without_spaces(language, model):
    texts, labels = zip(*sentences(language, 60, 1), strict=True)
    others, wanted = zip(*sentences(language, 60, 2), strict=True)
    learnt = TextClassifier(model).fit(texts, labels)
    assert learnt.score(others, wanted) >= 0.95
    for why in learnt.explain(others[:10]):
        for term in why.terms:
            for start, end in term.places:
                shown = [oracle.final_part(why.text[start:end])]
                shown.append(" ".join(name for name, *_, size in oracle.words(why.text[start:end]) if size == 1))
                assert term.term in shown


def test_a_korean_word_is_known_whatever_ends_it():
    texts = ["영화가 좋다", "영화를 봤다", "음식이 맛있다", "음식을 먹었다"] * 10
    learnt = TextClassifier("online").fit(texts, ["film", "film", "food", "food"] * 10)
    assert list(learnt.predict(["영화관에서", "음식점에서"])) == ["film", "food"]
    why = learnt.explain(["영화관에서"])[0]
    assert [(term.term, term.places) for term in why.terms] == [("영화", ((0, 2),))]
