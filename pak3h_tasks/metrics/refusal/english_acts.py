"""What an English answer may decline to do: verbs of answering, telling, giving, making, and what follows them."""

from __future__ import annotations

_GIVEN = (
    r"(?:answers?|advice|opinions?|views?|information|info|comments?|guidance|recommendations?|"
    r"instructions?|details?|"
    r"steps|tips|assistance|help|support|responses?|explanations?|rulings?|fatwas?|verdicts?|"
    r"diagnos[ie]s|judge?ments?|"
    r"one|prescriptions?|doses?|dosages?|predictions?|forecasts?|code|content|materials?|data|"
    r"documents?|papers?|recipes?|"
    r"address(?:es)?|numbers?|names?|passwords?|links?|lists?|methods?|endorsements?|"
    r"interpretations?|statements?|"
    r"exceptions?|jokes?|fun|such|that|this|it|those|these|any|anything|you|out)"
)
_CONTENT = (
    r"(?:an?|any|anything|that|this|such|the|your|something|content|material|fake|\w+s|explicit|"
    r"malware|code)"
)
# Verbs, and what must follow: "help you", not "help thinking"; "say anything", not "say that I agree".
_ACTS: tuple[tuple[str, str], ...] = (
    ("answer", r"(?! (?:him|her|them|my|his|the (?:phone|door|call)|for)\b)"),
    ("respond|reply|elaborate|opine|comply|weigh in|speculate|comment|cooperate|collaborate", ""),
    ("help|assist|aid|guide", r"(?! (?:but|\w+ing|it|him|her|them|me|my|myself|everyone)\b)"),
    ("be of", r"(?= (?:any |much |further )?(?:help|assistance|service|use)\b)"),
    ("be", r"(?= (?:part of|involved in|a part of|party to)\b)"),
    (
        "tell|show|teach|advise|inform|instruct|get|walk",
        r"(?= you\b(?! to\b)(?! how (?:much|happy|sorry|glad|grateful)))",
    ),
    ("advise", r"(?= (?:on|about|which|whether|anyone)\b)"),
    (
        "say",
        (
            r"(?! (?:that|it|i|how|enough|no|yes|so|goodbye|thank|sorry|good|we|you|they)\b)(?! "
            r"anything (?:good|bad))"
        ),
    ),
    (
        (
            "discuss|describe|explain|address|reveal|disclose|divulge|predict|forecast|judge|"
            "interpret|diagnose|prescribe|"
            "promote|condone|encourage|facilitate|enable|participate|engage|fulfil|fulfill|"
            "process|entertain|accommodate|"
            "honou?r|accept|translate|debate|rank|rate|rule|proceed|continue|complete|carry out|"
            "go along|take part|"
            "take sides|take a|take any|take either|pick a|pick one|pick sides|choose between|"
            "side with|talk about|"
            "talk to you|speak about|speak on|speak to|go into|get into|touch on|confirm|verify|"
            "approve|authori[sz]e|release|endorse|support|express|"
            "state|voice|have an? opinion|have opinions|have any|hold|form|declare|pass|quote|"
            "reproduce|recite|repeat|"
            "role-?play|roleplay|impersonate|pretend|insult|mock|ridicule|demean|glorify|justify|"
            "publish|contribute|compare"
        ),
        r"(?! (?:my|how (?:i|much|happy)|you to|the feeling|him|her|on by|away|out|up)\b)",
    ),
    ("recommend|suggest", r"(?= (?:any|specific|particular|individual|which|ways?|how|methods?|you|an?|one)\b)"),
    ("provide|share|supply", r"(?! (?:for|my)\b)"),
    ("give|offer|issue|make|send", rf"(?= (?:[\w'-]+,? ){{0,6}}?{_GIVEN}\b)(?! (?:up|away|it up|it to|you up)\b)"),
    (
        "create|generate|write|produce|compose|draft|build|develop|design|invent|fabricate|forge|draw",
        rf"(?= (?:\w+ )?{_CONTENT}\b)",
    ),
    (
        "do",
        (
            r"(?= (?:that|so|this|such|what you|anything like|anything that|it)\b(?! (?:alone|by "
            r"myself|anymore|without)))"
        ),
    ),
)


# What one may be unable or unwilling to do without declining an answer; other verbs decline one.
_NO_ACTS = (
    "be|see|hear|fly|believe|imagine|think|understand|remember|recall|know|find|feel|taste|smell|"
    "touch|eat|drink|sleep|walk|run|"
    "swim|drive|live|wait|afford|stand|bear|resist|stop|deny|ignore|forget|go|come|attend|stay|"
    "leave|have|use|buy|pay|work|play|"
    "sing|breathe|lift|travel|guarantee|promise|check|read|learn|agree|thank|emphasi[sz]e|stress|"
    "overstate|keep|put|wear|sit|meet|"
    "call|visit|marry|lose|win|love|hate|move|look|lie|let|tolerate|sell|cook|dance|jump|cry|"
    "laugh|die|replace|access|open|close|"
    "only|but|even|return|arrive|join|reach|hold|raise|spend|save|miss|blame|trust|forgive|"
    "change|turn|start|begin|finish|carry|"
    "catch|break|hurt|quite|always|really|possibly|simply|just|not|really"
)


def _gerund(verbs: str) -> str:
    """Gerunds of alternatives in the infinitive; a verb's further words stay behind it."""

    def one(verb: str) -> str:
        first, space, rest = verb.partition(" ")
        if first.endswith("e") and first != "be":
            first = first[:-1]
        return f"{first}{'t' if first == 'get' else ''}ing{space}{rest}"

    return "|".join(map(one, verbs.split("|")))


ACT = "(?:" + "|".join(f"(?:{verbs})\\b{after}" for verbs, after in _ACTS) + ")"
_SCOPED = (
    r"answer|help|assist|tell|show|get(?! (?:involved|into|drawn))|walk|say|recommend|suggest|be|"
    r"give up|give it|give my|make it|make sense|make up|do without|write with|write to|do (?:\w+ "
    r")?(?:alone|by myself)"
)
OPEN = rf"(?!(?:{_NO_ACTS}|{_SCOPED})\b)[a-z]+(?<!ly)\b"
ING = "(?:" + "|".join(f"(?:{_gerund(verbs)})\\b{after}" for verbs, after in _ACTS) + ")"
