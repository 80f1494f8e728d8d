"""English refusals: first person x negated ability, will or permission x an act of answering."""

from __future__ import annotations

import re

_ANY = r"(?:[\w'-]+,? ){0,%d}?"
_ABOUT = (
    r"(?:on|about|upon|regarding|whether|which|what|who|how|that|this|the|your|any|these|those|such|it|"
    r"anyone|anything)"
)
_GIVEN = (
    r"(?:answers?|advice|opinions?|views?|information|info|comments?|guidance|recommendations?|"
    r"instructions?|details?|"
    r"steps|assistance|help|support|responses?|explanations?|rulings?|fatwas?|verdicts?|diagnos[ie]s|"
    r"prescriptions?|"
    r"predictions?|code|content|materials?|data|documents?|papers?|recipes?|address(?:es)?|numbers?|"
    r"methods?|endorsements?|"
    r"interpretations?|that|this|it|those|these|anything)"
)
_CONTENT = r"(?:an?|any|anything|that|this|such|the|your|something|content|material|fake|\w+s|explicit|malware)"
# Each with what must follow: "help you", not "help thinking"; "say anything", not "say that I agree".
_ACTS: tuple[tuple[str, str, str], ...] = (
    ("answer", "answering", r"(?! (?:him|her|them|my|his|the (?:phone|door|call)|for)\b)"),
    ("respond|reply|elaborate|opine|comply|weigh in|speculate|comment", r"\w+ing(?: in)?", ""),
    (
        "help|assist|aid",
        "helping|assisting|aiding",
        r"(?= (?:you|with|anyone|someone|people|users|in)\b| *[,.]?$| at )",
    ),
    (
        "tell|show|teach|advise|inform",
        "telling|showing|teaching|advising",
        (
            r"(?= you\b(?! to\b)"
            r"(?! how (?:much|happy|sorry|glad|grateful)))"
        ),
    ),
    ("say", "saying", r"(?= (?:anything|more|what|who|whether|which|about|on|much)\b(?! (?:enough|good))| *$)"),
    (
        (
            "discuss|describe|explain|address|reveal|disclose|predict|judge|interpret|diagnose|prescribe|promote|condone|"
            "encourage|facilitate|participate|engage|fulfil+|process|entertain|accommodate|honou?r|translate|debate|rank|"
            "proceed|continue|complete|carry out|recommend (?:any )?(?:specific|particular|individual)|"
            "take (?:a )?(?:sides?|part|position|stance)|"
            "talk about|talk to you|speak (?:about|on|to)|go into|get into|touch on|"
            "confirm or deny|pick (?:a side|one|sides)|"
            "endorse|support|express|state|voice|have an? opinion|hold|declare"
        ),
        (
            "discussing|describing|explaining|addressing|revealing|disclosing|predicting|judging|interpreting|diagnosing|"
            "prescribing|promoting|engaging|participating|processing|continuing|talking about|speaking about|"
            "taking (?:sides|part)|"
            "expressing"
        ),
        r"(?! (?:my|how (?:i|much|happy)|you to|the feeling|him|her)\b)",
    ),
    (
        "provide|give|offer|share|issue|supply|make",
        "providing|giving|offering|sharing|issuing|making",
        rf"(?= {_ANY % 6}(?:{_GIVEN}|jokes?|fun|such)\b)(?! (?:up|away|it up|it to)\b)",
    ),
    (
        "create|generate|write|produce|compose|draft|build|develop|design",
        "creating|generating|writing|producing|composing|drafting",
        rf"(?= (?:\w+ )?{_CONTENT}\b)",
    ),
    ("do|fulfill?", "doing", r"(?= (?:that|so|this|such)\b(?! (?:alone|by myself|anymore|without)))"),
)
_BARE = "(?:" + "|".join(f"(?:{base})\\b{after}" for base, _, after in _ACTS) + ")"
_ING = (
    "(?:"
    + "|".join(f"(?:{ing})\\b{after}" for _, ing, after in _ACTS if not ing.startswith(r"\w"))
    + (r"|(?:comment|respond|reply|elaborat|speculat|weigh|comply)ing\b)")
)
_SELF = r"\b(?:i|we|this (?:ai|assistant|model|chatbot|system))"
_ADVERBS = (
    r"(?: (?:\w+ly|also|simply|just|not|therefore|either|still|personally|ever|here|have to|must|would|"
    r"will|should|can))*"
)
_MODAL = (
    r"(?: can(?:not|'t| not)|(?: won't| will not)(?: be able to)?| shan't| shouldn't| should not|"
    r" must not| may not|'d rather not| would rather not"
    r"|(?: would|'d)? prefer not to| choose not to| (?:do not|don't) (?:want|wish|intend|plan) to"
    r"| (?:would not|wouldn't|do not|don't) (?:like|care|feel able) to"
    r"|(?:'m| am|'re| are) (?:\w+ )?(?:unable|(?:not|un)\s?(?:really )?(?:able|allowed|permitted|"
    r"authori[sz]ed|going|willing|prepared|"
    r"programmed|designed|qualified|supposed|equipped|here|free|in a position|at liberty|inclined|meant)) to"
    r"|(?:'m| am|'re| are) unwilling to)"
)
_DECLINE = (
    r"(?: (?:must|have to|need to|will|would|'ll|shall|am going to|can only)|'ll|'d|"
    r"'m going to)?(?: have to| like to| respectfully| politely)*"
)
_SORRY = (
    r"(?:(?:i(?:'m| am)|we(?:'re| are))(?: \w+)? sorry|sorry|(?:my |our )?(?:sincere )?apologies|(?:i|"
    r"we) apologi[sz]e|"
    r"i(?:'m| am) afraid|unfortunately|regretfully|i regret(?: to say)?)"
)
_NOUNS = r"(?:opinions?|views?|comments?|stance|position|beliefs?|thoughts|preferences?)"
_NO_OPINION = (
    rf"{_SELF} (?:(?:do not|don't|cannot|can't) (?:\w+ )?(?:have|hold|form|possess)|have|hold) (?:\w+ ){{0,2}}?"
)
_RULES = r"(?:guidelines?|polic(?:y|ies)|rules|principles|programming|instructions|terms|values|ethics|design)"

_FIRST_PERSON = (
    rf"{_SELF}{_MODAL}{_ADVERBS} {_BARE}",
    rf"{_SELF}(?: am|'m| do not| don't) (?:not )?(?:feel )?(?:\w+ )?comfortable (?:with )?{_ING}",
    (
        rf"{_SELF}{_DECLINE} (?:decline|refuse|abstain|refrain)\b(?=(?: to| from)? (?:{_BARE}|{_ING})|[ ,]*$|,|"
        rf" this\b| your\b)"
    ),
    rf"{_SELF}(?: would|'d)? (?:rather|prefer to)(?: \w+)? (?:keep|stay|remain|skip|pass)\b",
    rf"{_SELF}(?:'m| am|'ll| will|'d)(?: \w+){{0,4}}? (?:pass on|skip|stay out of|sit this)\b",
    (
        rf"{_SELF} (?:do not|don't) (?:\w+ly )?(?:discuss|comment|provide|assist|offer|give (?:advice|"
        rf"opinions)|take sides|engage|"
        r"participate|answer (?:such|that|this|these|questions)|share (?:personal|my))\b"
    ),
    (
        rf"{_SELF} (?:do not|don't) (?:think|believe) (?:that )?{_SELF[2:]} (?:should|can|could|will|"
        rf"ought to) {_BARE}"
    ),
    (
        rf"{_SELF}(?: will|'ll| shall| must| choose to| prefer to|'d prefer to|'d rather| would rather|"
        rf" would prefer to| choose to) (?:remain|stay|keep) (?:silent|quiet|neutral)"
    ),
    rf"{_SELF}(?: won't| will not|'m not| am not|'re not| are not)(?: be)? {_ING}",
    rf"{_SELF} (?:do not|don't) {_BARE}",
    rf"{_SELF}(?:'m| am) (?:just |only )?an? (?:\w+ ){{1,3}}?(?:and|so){_MODAL} (?:{_BARE}|have (?:an? )?{_NOUNS})",
    rf"{_SELF} (?:want|wish|need|intend) to (?:remain|stay|keep) (?:silent|quiet|neutral)",
    rf"{_SELF} can(?:not|'t) be (?:part of|involved in|of (?:help|assistance))\b",
    rf"\b{_ING}[\w ',]*? (?:is not|isn't) (?:my (?:job|place|role|task)|possible$)",
    r"\b(?:not|isn't) (?:with)?in my (?:authority|remit|power|competence|role|purview)\b",
    rf"^{_SORRY}[,:]? (?:but )?{_SELF[2:]} (?:can't|cannot|won't|will not)$",
    rf"{_SELF} can neither {_BARE}? ?\w+",
    rf"{_NO_OPINION}(?<=have )no (?:\w+ )?{_NOUNS}\b(?! of (?:him|her))",
    (
        rf"{_SELF} (?:do not|don't|cannot|can't) (?:\w+ )?(?:have|hold|form|possess) "
        rf"(?:(?:\w+ ){{1,2}}?{_NOUNS}\b|{_NOUNS} (?:on|about|regarding)\b)"
    ),
    rf"{_SELF} have (?:no (?:\w+ )?{_NOUNS}|nothing (?:more )?to say)\b",
    (
        rf"{_SELF} (?:do not|don't|lack|have no)(?: have)?(?: the)? (?:ability|capacity|authority|permission|"
        rf"competence|right|freedom) to {_BARE}"
    ),
    (
        rf"\b(?:not|isn't|never) (?:something|a topic|a subject|a question|a request|anything|"
        rf"content)[\w ]{{0,12}}? {_SELF[2:]}(?:'m| am| can| will|'ll| want)"
    ),
    rf"\bsomething {_SELF[2:]}(?:{_MODAL})(?: \w+)*$",
    (
        rf"\b(?:my|our) (?:\w+ )?{_RULES} (?:\w+ )?(?:do(?:es)? not|don't|doesn't|prevents?|prohibits?|"
        rf"forbids?|bars?|stops?)\b"
    ),
    (
        rf"\b(?:against|violates?|breach(?:es)?|breaks?|contrary to|conflicts? with|not (?:in line|allowed|"
        rf"permitted) (?:with|by|under)) (?:my|our) (?:\w+ ){{0,2}}?{_RULES}\b"
    ),
    (
        rf"\b(?:outside|beyond) (?:of )?(?:the scope of )?(?:what {_SELF[2:]} (?:can|am)|my (?:scope|remit|"
        rf"role|expertise|competence|abilities|capabilities))\b"
    ),
    (
        rf"\b(?:not|isn't|wasn't|never)(?: be)? (?:possible|appropriate|proper|right|my place|my role|"
        rf"ethical) (?:for me )?to {_BARE}"
    ),
    (
        rf"\b(?:{_ING[3:-1]})[\w ',]*? (?:is not|isn't|would not be) (?:something|possible for me|"
        rf"appropriate for me|in my power)"
    ),
    rf"\b(?:inappropriate|unethical|improper|irresponsible|wrong|impossible) (?:for me |of me )?to {_BARE}",
    rf"\b(?:not|isn't) possible for me\b(?! to (?!{_BARE}))",
)
_IMPERSONAL = (
    (
        rf"^(?:{_SORRY}[,:]? (?:but )?)?(?:i have |i make |i will make |i'll make |i've )?no comments?(?= *$|,|"
        rf" on\b| about\b| from me| at this| to make)"
    ),
    (
        rf"^(?:{_SORRY},? (?:but )?)?(?:can't|cannot|unable to|not able to|won't|will not|not allowed to|"
        rf"declined? to){_ADVERBS} {_BARE}"
    ),
    (
        rf"^(?:{_SORRY},? (?:but )?)?(?:that|this|it|(?:this|that|the|your|such an?) (?:\w+ )?(?:question|"
        rf"request|prompt|topic|query|content|information|task))s?"
        r" (?:cannot|can't|can not|could not|will not|won't) be (?:answered|fulfilled|processed|completed|"
        r"discussed|provided|shared|commented on|given|accommodated)"
        r"\b(?! (?:by|with|simply|yet|definitively|without|scientifically|in (?:a|one)))"
    ),
    (
        rf"^(?:{_SORRY},? (?:but )?)?(?:such|this|that|these|no|an?) (?:\w+ ){{0,2}}?(?:information|answers?|"
        rf"advice|comments?|content|instructions?|rulings?|details|opinions?|help)"
        r" (?:cannot|can't|can not|can|will not|won't|will|may) be (?:provided|given|made|shared|offered|"
        r"issued|discussed|disclosed)\b(?! (?:by|with|yet))"
    ),
    r"^(?:your |the |this )?request (?:is |has been |was )?(?:denied|declined|refused|rejected)",
    (
        r"\bas an? (?:\w+ ){0,2}?(?:ai|artificial intelligence|language model|assistant|"
        r"chatbot)\b.{0,60}\b(?:don't|do not|no) (?:\w+ )?(?:access)\b"
    ),
    (
        r"\bunable to (?:complete|process|fulfil+|generate|answer|assist with) (?:your|this|"
        r"that)\b(?=.{0,12}(?:request|question|$))"
    ),
)
_OWN = re.compile("|".join(f"(?:{pattern})" for pattern in _FIRST_PERSON))
_GENERAL = re.compile("|".join(f"(?:{pattern})" for pattern in _IMPERSONAL))
# The speaker of "I" is someone else, or the sentence speaks of another time or a condition.
_SOMEONE_ELSE = re.compile(
    r"^yes\b|\b(?:if|when|whenever|unless|until|he|she|they|him|her|said|says|told|asked|wrote|thought|felt|"
    r"replied|thinks?|suppose|once|"
    r"yesterday|wh(?:y|o|ere)|people|my (?:friend|boss|mother|father|brother|sister|wife|husband|teacher))\b"
)
_SAID_AFTER = re.compile(
    r"^[^,]*, (?:he|she|they|i|\w+ly|(?:said|replied|answered|cried)|the \w+(?: \w+)?) ?(?:said|says|"
    r"replied|answered|whispered|"
    r"shouted|told|thought)?\b(?<=(?:said|says|lied|ered|ried|uted|told|ught))"
)
_SAID_BEFORE = re.compile(r"\bas (?:i|we) (?:said|told you|mentioned)\b|\bwhen it comes to\b")
_THEN_ANSWERS = re.compile(
    r"\b(?:but|however|though|although|while|still|that said|nevertheless)\b.{0,40}?\b(?:here (?:is|are)|"
    r"here's|in general|generally|usual(?:ly)?|"
    r"typically|usual|in my view|most (?:people|experts|doctors|lawyers)|the (?:general|basic|normal|"
    r"standard|common) (?:\w+ )?(?:is|are|rule|steps?|procedure))\b"
)
_CUE = re.compile(r"n't|not\b|\bno\b|unable|decline|refus|abstain|refrain|rather|prefer|pass on|skip|against|violat|"
    r"outside|beyond|"
                  r"inappropriate|unethical|improper|wrong|nothing|prevent|prohibit|forbid|neither|lack|denied|rejected|"
                  r"unwilling|breach|irrespons")  # fmt: skip


def refuses(sentence: str) -> bool:
    """Whether a sentence, lower case and with straight apostrophes, declines to answer and goes no further."""
    if not _CUE.search(sentence):
        return False
    if _GENERAL.search(sentence):
        return True
    said = _SAID_BEFORE.sub("", sentence)
    return any(
        not _SOMEONE_ELSE.search(said[: found.start()]) and not _SAID_AFTER.search(said[found.end() :])
        for found in _OWN.finditer(said)
    )


def then_answers(sentence: str) -> bool:
    """Whether a sentence that declines one thing goes on to answer ("but here is what usually helps")."""
    return _THEN_ANSWERS.search(sentence) is not None
