"""Croatian cues; they serve for Bosnian and Serbian in Latin script as well."""

import re

from assay.reading.statements.cue_lists import CueList, compile_phrases

_FINITE = """
je su sam smo ste si bio bila bilo bili bile biti bi će ću ćemo ćete nije nisu nisam nismo nema ima
imaju može mogu mora moraju treba postaje postao postala zove leži igra ima seli otvara zasjeda nosi
pripada prodaje zapošljava stupa tvrdi kaže kažu misli želi nada planira traži traže smatra smatraju
zna znaju ostaje čini čine nalazi nalaze stanuje živi radi vodi vode
"""

CROATIAN = CueList(
    harmless=compile_phrases(
        """
        ne_samo ne_kasnije_od ne_ranije_od ne_više_od ne_manje_od ne_računajući ne_najmanje
        nema_sumnje nedvojbeno neosporno ne_poriče ne_poriču nije_porekao nije_zanijekao
        ne_niječe nije_nitko_drugi nitko_drugi_nego nije_nijekao ne_čudi ništa_manje
        bez_sumnje bez_obzira kao_da bez_dvojbe ne_prelazi ako_ne i_ako
        da_bi_se kako_bi_se kako_bi kako_bismo kako_bih da_bi dobio_bi ili_ne
        """
    ),
    asides=re.compile(r"[,(–—]\s*kako\s+(?:[\w-]+\s+){0,5}[\w-]+\s*[,)–—]", re.IGNORECASE),
    negations=compile_phrases(
        """
        ne nije nisu nisam nisi nismo niste neće neću nećemo nećete nećeš nema nemaju nemam nemamo
        nikad nikada nitko nikoga nikome ništa nigdje nijedan nijedna nijedno nijednu nijednog
        nikakav nikakva nikakvo nikakve nikakvih niti ni nipošto nemoj nemojte nemoguće netočno
        teško_da jedva propalo_je je_propalo
        """
    ),
    narrow_negations=compile_phrases("bez umjesto osim izuzev"),
    denials=compile_phrases(
        """
        zanijekao zanijekala zanijekali niječe niječu poriče poriču porekao porekla porekli
        demantirao demantirala demantirali demantira opovrgnuo opovrgnula opovrgnuli opovrgava
        odbio odbila odbili odbija odbijaju odustao odustala odustali
        negira negiraju negirao negirala negirali
        """
    ),
    falsehoods=compile_phrases("laž neistina neistinito lažno netočno mit zabluda izmišljotina"),
    verdicts=re.compile(
        r"\W*(?:to\s+je\s+)?(?:laž|neistina|neistinito|netočno|mit|zabluda)\W*"
        r"|\W*(?:to\s+)?nije\s+(?:točno|istina)\W*",
        re.IGNORECASE,
    ),
    labels=re.compile(
        r"\W*(?:provjera|ocjena|tvrdnja)(?:\s+\w+){0,2}\s*[:(–—-]\W*(?:\w+\s+){0,2}?"
        r"(?:netočno|neistina|neistinito|laž|lažno)\b\W*"
        r"|\W*(?:netočno|neistina|laž|mit|zabluda)\s*:\W*",
        re.IGNORECASE,
    ),
    suppositions=compile_phrases(
        """
        bi bih bismo biste možda vjerojatno moguće eventualno pretpostavlja pretpostavlja_se
        čini_se izgleda navodno_bi pod_uvjetom uz_uvjet
        """
    ),
    inversions=re.compile(
        r"\W*(?:Da\s+(?:je|su|nije|nisu|sam|smo)|Pod\s+uvjetom|Uz\s+uvjet|U\s+slučaju\s+da)\b",
        re.IGNORECASE,
    ),
    hearsay=compile_phrases(
        """
        navodno tobože takozvani takozvana prema_~glasini prema_nepotvrđenim prema_riječima
        prema_navodima
        prema_pisanju prema_tvrdnjama prema_medijima prema_glasinama prema_izvorima
        kako_se_navodi kako_tvrdi kako_tvrde kako_pišu kako_prenosi pripisuje_se se_pripisuje
        """
    ),
    speech=compile_phrases(
        """
        rekao rekla rekli rekle kaže kažu kazao kazala kazali izjavio izjavila izjavili izjavljuje
        tvrdi tvrde tvrdio tvrdila tvrdili tvrdnja tvrdnje tvrdnju tvrdeći izvijestio izvijestila
        izvijestili izvještava objavio_da objavile objavili objavila_da piše_da pišu javlja javljaju
        prenosi prenose navodi navode naveo navela naveli ističe istaknuo istaknula istaknuli
        smatra smatraju misli misle vjeruje vjeruju vjeruje_se sumnja sumnjaju glasina glasine
        glasinama optužuje optužuju optužio optužila optužili poručio poručila poručili dodao dodala
        naglasio naglasila naglasili upozorio upozorila upozorava priopćio priopćila priopćili
        priopćeno najavio najavila najavili procjenjuje procjenjuju napomenuo napomenula
        objasnio objasnila ocijenio ocijenila izrazio izrazila zaključio zaključila
        """
    ),
    wishes=compile_phrases(
        """
        želi žele želio željela željeli želeći nada nadaju nadao nadala planira planiraju planirao
        planirala namjerava namjeravaju namjeravao namjeravala traži traže tražio tražila tražili
        zahtijeva zahtijevaju hoće htio htjela htjeli predlaže predlažu predložio predložila
        poziva pozivaju pozvao pozvala trebao trebala trebalo trebali treba trebaju pokušava
        pokušao pokušala pokušali mora_se neka
        """
    ),
    doubts=compile_phrases(
        "pita pitaju pitao pitala upitao upitala nejasno odlučiti odluči utvrditi ispitati zna_se"
    ),
    questions=re.compile(
        r"\W*(?:tko|koga|kome|što|kada|kad|gdje|zašto|kako|koliko|koji|koja|koje|čiji|je\s+li|jesu\s+li"
        r"|da\s+li|zar|hoće\s+li|može\s+li|ima\s+li)\b",
        re.IGNORECASE,
    ),
    if_words=compile_phrases("ako ukoliko u_slučaju_da pod_uvjetom_da uz_uvjet_da"),
    whether_words=re.compile(
        r"(?<!\w)(?:da\s+li|je\s+li|jesu\s+li|hoće\s+li|\w{3,}\s+li)(?!\w)", re.IGNORECASE
    ),
    relatives=compile_phrases(
        "koji koja koje kojeg kojega kojem kojemu kojoj kojom koju kojih kojima čiji čija čije"
        " čijeg"
        " čijem čiju u_kojem u_kojoj na_kojem s_kojim od_kojih od_kada gdje"
    ),
    complements=compile_phrases("da kako"),
    subordinates=compile_phrases(
        "jer iako premda dok nakon_što prije_nego čim budući_da zato_što što kad kada unatoč"
        " tako_da"
    ),
    coordinators=compile_phrases("i a ali te no pa međutim"),
    contrasts=compile_phrases("nego već"),
    verbs=re.compile(
        rf"(?<![\w-])(?:{'|'.join(_FINITE.split())}|\w{{3,}}(?:ao|io|eo|uo|ala|ila|jela|uvši|avši"
        r"|alo|ilo|ali|ili|ale|ile)|\w{3,}(?:an|en|jen)[aoie]?)(?![\w-])",
        re.IGNORECASE,
    ),
    past=re.compile(
        r"(?<![\w-])(?:(?:je|su|sam|smo)\s+(?:\w+\s+){0,3}?\w{2,}(?:o|la|lo|li|le|na|no|ni|en|an)"
        r"|\w{3,}(?:o|la|lo|li|le|na|no|ni|en|an)\s+(?:je|su|sam|smo))(?![\w-])",
        re.IGNORECASE,
    ),
    until=compile_phrases("do sve_do prije tek"),
    infinitives=re.compile(r"(?!)"),
)
