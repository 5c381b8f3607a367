"""Words that questions are made of and that tell nothing about what is sought."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both
    but by can cannot could did do does doing done don down during each either else ever few for
    from further had has have having he her here hers herself him himself his how i if in into is
    it its itself just let like ll many me might more most much must my myself neither no nor not
    of off on once only or other ought our ours ourselves out over own please re s same shall she
    should so some such t tell than that the their theirs them themselves then there these they
    this those through thus to too under until up upon us ve very was we were what when where
    whether which while who whom whose why will with within without would yet you your yours
    yourself yourselves
    """.split()  # noqa: SIM905
)

# Taken out of a CJK run before it is cut into pairs; longer ones first.
CJK_ASIDES = (
    # Chinese
    *(
        "为什么",
        "為什麼",
        "什么是",
        "什麼是",
        "是什么",
        "是什麼",
        "什么时候",
        "什麼時候",
        "什么样",
        "什么",
        "什麼",
    ),
    *("怎么样", "怎么", "怎麼", "怎样", "怎樣", "如何", "哪些", "哪个", "哪個", "哪里", "哪裡"),
    *("哪一", "哪年", "多少", "是否", "何时", "何時", "何地", "谁", "誰", "吗", "嗎"),
    # Japanese
    *("どのような", "どのように", "どうして", "なんですか", "何ですか", "ですか", "ますか"),
    *("でしょうか", "どこ", "どの", "どれ", "どう", "だれ", "いつ", "なぜ", "いくつ"),
    # Korean
    *("무엇입니까", "무엇인가", "무엇", "누구", "언제", "어디", "어느", "어떤", "어떻게"),
    *("인가요", "입니까", "인가", "습니까"),
)

CJK_STOP_CHARACTERS = frozenset(
    "的是了在有和与與对對从從不这這那之其及或而把被让就也都很吗嗎呢吧啊"
)
