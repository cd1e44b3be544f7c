"""German cues."""

import re

from assay.reading.statements.cue_lists import CueList, compile_phrases

_FINITE = """
ist sind war waren wird werden wurde wurden worden hat haben hatte hatten kann können konnte konnten
muss müssen musste mussten soll sollen will wollen wollte wollten darf dürfen durfte mag bin bist
wäre wären hätte hätten würde würden könnte könnten sollte sollten müsste dürfte sei seien habe
werde
geht ging kam kommt kamen steht stand liegt lag lagen gibt gab gaben gilt galt nahm nimmt sieht sah
zog zogen schrieb schrieben verlor verließ blieb blieben begann fand fanden gewann starb hieß hielt
trat tritt trug rief ließ lief fiel stieg sprach traf wuchs sitzt spielt erschien wies lehrt erhielt
stammt besitzt gehört kostet hofft plant zählt mündet sagt meint
"""
_VERBS_FIRST = """
kommt kommen wird werden ist sind hat haben kann können muss müssen darf will wollen stimmt stimmen
scheitert scheitern gelingt gelingen gibt geht gehen findet finden tritt treten bleibt bleiben
steigt steigen sinkt sinken fällt fallen überschreitet überschreiten übersteigt übersteigen
beträgt betragen liegt liegen genehmigt erteilt lehnt verliert verlieren gewinnt gewinnen kauft
kaufen verkauft verkaufen schließt schließen erhält erhalten bekommt nimmt nehmen macht machen
zieht stirbt läuft hält erfüllt erfüllen besteht bestehen fehlt fehlen erreicht erreichen
entscheidet verzichtet
"""
_NOT_VERBS = (
    r"(?!(?:nicht|mit|seit|jetzt|dort|erst|acht|fast|selbst|sonst|zuerst|zuletzt|statt|laut|samt"
    r"|weit|heute|bitte|alte|erste|letzte|dritte|zweite|vierte|gute|rechte|beste|meiste|weite"
    r"|letzten|ersten|dritten|zweiten|guten|alten|meisten|besten|unten|hinten|rechten|bekannten"
    r"|gesamten|vierten|roten|weiten|bekannte|gesamte|leicht|echt|recht|direkt|insgesamt|oft)\b)"
)

GERMAN = CueList(
    harmless=compile_phrases(
        """
        nicht_nur nicht_bloß nicht_allein nicht_zuletzt nicht_später_als nicht_früher_als
        nicht_mehr_als nicht_weniger_als nicht_weit_von nicht_unerheblich* nicht_selten
        nicht_ohne nicht_bestritten bestritt_nicht bestreitet_nicht bestreiten_nicht leugnet_nicht
        leugnete_nicht nicht_leugnen nicht_bestreiten kein_zweifel keinen_zweifel keine_frage
        zweifellos ohne_zweifel keine_andere_als kein_anderer_als niemand_anderes_als
        nichts_anderes_als nicht_einmal nicht_unbedingt unbestritten wenn_auch wenngleich als_ob
        nicht_zu_vergessen nicht_übersteig* übersteigt_nicht nicht_unumstritten ob_der oder_nicht
        """
    ),
    asides=re.compile(r"[,(–—]\s*(?:wie|so)\s+(?:[\w-]+\s+){0,5}[\w-]+\s*[,)–—]", re.IGNORECASE),
    negations=compile_phrases(
        """
        nicht kein keine keinen keinem keiner keines keinerlei nie niemals niemand niemanden nichts
        nirgends nirgendwo keinesfalls keineswegs weder nimmer kaum unmöglich mitnichten
        irrtümlich irrtümlicherweise fälschlich fälschlicherweise scheiterte scheiterten gescheitert
        """
    ),
    narrow_negations=compile_phrases("ohne statt anstatt anstelle außer ausgenommen"),
    denials=compile_phrases(
        """
        bestritt bestreitet bestreiten bestritten dementiert dementierte dementierten leugnet
        leugnete verneint verneinte lehnte_es_ab lehnt_es_ab lehnten_es_ab weigerte weigert
        weigerten
        verzichtete_darauf verzichtet_darauf verzichtet_auf verzichtete_auf verzichten_auf
        verzichteten_auf wies_~zurück widersprach widerlegt widerlegte
        ablehnte
        """
    ),
    falsehoods=compile_phrases(
        "falsch unwahr gelogen erfunden lüge irrtum märchen mythos legende falschmeldung unsinn"
    ),
    verdicts=re.compile(
        r"\W*(?:(?:das|dies)\s+(?:ist|war)\s+)?(?:falsch|unwahr|gelogen|(?:eine?\s+)?(?:lüge|mythos"
        r"|irrtum|falschmeldung))\W*|\W*(?:mitnichten|keineswegs|(?:das\s+)?stimmt\s+nicht)\W*",
        re.IGNORECASE,
    ),
    labels=re.compile(
        r"\W*(?:faktencheck|urteil|bewertung|behauptung)(?:\s+\w+){0,2}\s*[:(–—-]\W*(?:\w+\s+){0,2}?(?:falsch|unwahr)\b\W*"
        r"|\W*(?:falsch|mythos|irrtum|unwahr|falschmeldung)\s*:\W*",
        re.IGNORECASE,
    ),
    suppositions=compile_phrases(
        """
        würde würden könnte könnten hätte hätten wäre wären dürfte dürften müsste müssten
        vielleicht möglicherweise vermutlich wahrscheinlich womöglich eventuell unter_umständen
        angenommen voraussichtlich wohl scheint scheinen schien vorausgesetzt vorbehaltlich
        unter_vorbehalt unter_dem_vorbehalt unter_der_bedingung unter_der_voraussetzung
        """
    ),
    inversions=re.compile(
        r"\W*(?:Sollte|Sollten|Wäre|Wären|Hätte|Hätten|Würde|Käme|Vorausgesetzt)\b"
        # A clause that begins with its verb and is followed by another verb: `Kommt A, geht B`.
        rf"|\W*(?:{'|'.join(_VERBS_FIRST.split())})\s+(?:[^,;:?!]|,(?=\d)){{3,200}},\s*(?:so\s+|dann\s+)?"
        rf"(?:{'|'.join(_FINITE.split())}|{_NOT_VERBS}(?!\w{{0,4}}(?:den|inen)\b)\w{{2,}}(?:t|te|en))"
        r"(?!\w)",
        re.IGNORECASE,
    ),
    hearsay=compile_phrases(
        """
        angeblich angebliche angeblichen angeblicher mutmaßlich mutmaßliche mutmaßlichen
        mutmaßlicher vermeintlich* sogenannte zufolge laut_medien* laut_berichten laut_presse*
        nach_eigenen_angaben nach_angaben gerüchteweise
        habe sei seien werde könne solle wolle müsse dürfe gebe stehe gehe komme liege bleibe lasse
        soll sollen wird_nachgesagt werden_nachgesagt gilt_als_möglich
        """
    ),
    speech=compile_phrases(
        """
        sagte sagt sagen sagten gesagt behauptet behaupten behauptete behaupteten behauptung
        erklärte erklärt erklärten berichtet berichtete berichteten meint meinte
        meinen glaubt glauben glaubte glaubten denkt dachte vermutet vermuten vermutete vermutung
        gerücht gerüchte teilte_~mit betonte betont kündigte_~an wirft werfen warf warfen vorwurf
        vorwürfe hieß_es heißt_es annahme hält_für ging_davon_aus geht_davon_aus gehen_davon_aus
        erzählt erzählte warnte warnt versicherte versichert fügte_~hinzu äußerte so_der so_die
        """
    ),
    wishes=compile_phrases(
        """
        hofft hoffen hoffte hofften gehofft wünscht wünschen wünschte will wollen wollte wollten
        möchte möchten plant planen plante planten beabsichtigt beabsichtigte fordert fordern
        forderte forderten gefordert verlangt verlangen verlangte verlangten sollte sollten
        versucht versuchte versuchen schlägt_~vor schlug_~vor empfiehlt empfahl bittet bat
        strebt_~an ziel erwägt erwogen
        """
    ),
    doubts=compile_phrases(
        "fragt fragte fragten fragen unklar ungewiss offen klären prüfen prüft entscheiden"
        " unbekannt"
    ),
    questions=re.compile(
        r"\W*(?:wer|wen|wem|wessen|was|wann|wo|warum|weshalb|wieso|wie|welche[rnsm]?|wohin|woher|ist"
        r"|sind|war|waren|hat|haben|wird|wurde|wurden|kann|soll)\b",
        re.IGNORECASE,
    ),
    if_words=compile_phrases("wenn falls sofern soweit es_sei_denn für_den_fall"),
    whether_words=compile_phrases("ob"),
    relatives=re.compile(
        r"(?<=, )(?:der|die|das|dem|den|dessen|deren|denen|welche[rsnm]?)(?!\w)"
        r"|(?<=, )(?:in|mit|von|an|auf|aus|bei|für|zu|nach|durch|über)\s+"
        r"(?:der|die|das|dem|den|dessen|deren|denen|welche[rsnm]?)(?!\w)",
        re.IGNORECASE,
    ),
    complements=compile_phrases("dass daß"),
    subordinates=compile_phrases(
        "weil obwohl obgleich während nachdem bevor als da indem sobald solange damit was wie wo"
        " wobei wodurch worauf trotz trotzdem"
    ),
    coordinators=compile_phrases("und aber doch denn jedoch"),
    contrasts=compile_phrases("sondern vielmehr"),
    verbs=re.compile(
        rf"(?<![\w-])(?:{'|'.join(_FINITE.split())}|{_NOT_VERBS}[a-zäöüß]{{3,}}(?:te|ten|iert|tet)"
        rf"|ge[a-zäöüß]{{3,}}(?:t|en)|{_NOT_VERBS}(?:be|ver|er|zer|ent|ein|auf|aus|an|ab)"
        r"[a-zäöüß]{3,}(?:t|te|ten))(?![\w-])"
    ),
    past=re.compile(
        rf"(?<![\w-])(?:war|waren|wurde|wurden|hatte|hatten|kam|ging|gab|zog|schrieb|begann|gewann"
        rf"|{_NOT_VERBS}(?!wollte|sollte|möchte|könnte|müsste|hätte|dürfte)"
        r"[a-zäöüß]{3,}(?:te|ten))(?![\w-])"
    ),
    until=compile_phrases("bis erst"),
    infinitives=re.compile(r"(?<!\w)(?:zu|[a-zäöü]{2,6}zu[a-zäöüß]{4,})(?!\w)"),
)
