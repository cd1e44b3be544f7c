"""What is general to English: words that carry no name, and how properties are spoken of."""


def listed(words: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(words.split())


STOP = listed(
    """
    a about above after again against all along also although among an and another any are around
    as at away back be because been before being below between both but by came can could did do
    does doing down during each either even ever every few finally first following for former from
    further had has have having he her here hers him his how however i if in instead into is it
    its itself just last later like many may me meanwhile might more most moreover much must my
    near nearly neither never no nor not now of off often on once one only onto or originally
    other our out over own per perhaps she should since so some soon still such than that the
    their them then there these they this those though three through throughout thus to together
    too two under unlike until up upon us very was we were what when where whereas whether which
    while who whom whose why will with within without would yet you your according additionally
    currently furthermore several despite due recently previously initially today early late based
    born located directed founded published released written produced known called named situated
    built designed created formed developed composed established including both
    """
)
"""Words that begin a sentence with a capital and are no name by it."""

CONNECTORS = listed(
    """
    of the de la le les von van der den del della di da do dos das du y i zu zum af av al el bin
    ibn & for on to in and a an at
    """
)
"""Small words that may stand inside a name."""
TIGHT = listed(
    """
    de la le les von van der den del della di da dos das du zu af av al el bin ibn & of the
    """
)
"""Those of them that join a name wherever they stand between two parts of one."""

PREPOSITIONS = listed(
    """
    by in at of from for with on to into near under after before as about between including since
    during until over within through
    """
)
BE = listed("is was are were be been being 's becomes became remains")
DETERMINERS = listed("a an the its his her their this that these one")
PRONOUNS = listed("he she it they him her his its their them who which whose")
PERSONAL = listed("he she him her his")
RELATIVE = listed("who which whose that where")
ENDERS = listed(
    """
    jr sr st dr mr mrs ms inc ltd co no vol prof rev gen lt col sgt mt ft corp bros vs
    """
)
"""Short forms whose full stop does not end a name."""

BODIES = listed(
    """
    award awards prize medal front center centre institute society association movement party
    committee council campaign ministry department school college academy museum board office
    foundation fund organization organisation agency commission bank league union
    """
)
"""Words after which `for`, `and`, `on` lead on: `Academy Award for Best Picture`."""
LEADING_ON = listed("for and on of the")
FORMS = listed("inc inc. ltd ltd. llc jr jr. sr sr.")
"""What belongs to a name although a comma stands before it."""

BEFORE_NAMES = listed("at asteroid of and the is planet by flight called named")
"""Words after which a number may begin a name."""

DEMONYM_ENDS = (
    "ese",
    "ish",
    "ian",
    "ean",
    "can",
    "ench",
    "utch",
    "erman",
    "greek",
    "swiss",
    "aeli",
    "iraqi",
)

WITH_ARTICLE = listed(
    """
    airport river party university college school institute museum church bridge tower hall
    association society league company corporation department ministry army navy war battle
    festival prize award championship cup games station railway mountains islands sea ocean lake
    desert council committee commission union front bank hotel stadium arena center centre palace
    castle memorial monument aerodrome
    """
)
"""Last words of names that are spoken of with an article which is no part of them."""

BODY_WORDS = (
    BODIES
    | WITH_ARTICLE
    | listed(
        """
    studios studio pictures films productions entertainment records press books publishing
    publishers media group inc inc. ltd ltd. corp. co. fc club united city team airlines systems
    software games technologies industries network television radio labs laboratories observatory
    county district province state republic kingdom empire
    """
    )
)
"""Words by which a name is seen to be that of a body or a place, not of a person."""

OFFICES = listed(
    """
    president minister king queen prince princess duke duchess earl count bishop archbishop governor
    mayor secretary chancellor director member members house order siege treaty republic kingdom
    state states city town province lord lady director head chief hall history book books songs
    """
)
"""Words after which `of` goes on with a title or a name."""

TITLES = listed(
    """
    general admiral captain colonel major lieutenant sergeant corporal commander marshal brigadier
    commodore vice rear private president chancellor senator governor mayor professor minister
    """
)
"""What a person is, where it stands right before the name."""

MONTHS = listed(
    """
    january february march april may june july august september october november december
    """
)
DAYS = listed("monday tuesday wednesday thursday friday saturday sunday")

VALUE_WORDS = listed(
    """
    date year number integer float double decimal string time day length height size amount text
    quantity literal boolean count url identifier
    """
)
"""Names of classes that stand for plain values, in ontologies that have no datatypes."""

PEOPLE = listed(
    """
    person human people agent actor director politician artist author writer character
    """
)

_ROLES = ("er", "or", "ist", "ian", "ress", "man", "woman", "naut")
_NO_ROLES = listed(
    """
    river tower computer theater center chapter order paper power newspaper member number letter
    water border quarter corner character remainder winter summer matter computer cluster crater
    harbor motor reactor sector factor floor german roman human border manor minor major
    """
)


def is_role(noun: str) -> bool:
    """Whether a noun is what a person does: `director`, `novelist`."""
    return len(noun) > 4 and noun.endswith(_ROLES) and noun not in _NO_ROLES
