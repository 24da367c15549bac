"""readme.py - README's sentences of what checks cost programs that nobody tuned: their figures anew."""
import re
import textwrap

NUMBERS = 'no one two three four five six'.split()
NO_BREAK = '\0'  # for a space in `code`, which stays on its line
SENTENCES = (
    (r'(put checks into )\w+( programs? that nobody had tuned it for)', 'programs'),
    (r'(they execute )[\d.]+( times)', 'basic'),
    (r'(geometric mean; )[\d.]+( at worst)', 'worst'),
    (r'(multiplies that by )[\d.]+\d(\.)', 'sampled'),
)


def with_figures(text, programs, basic, worst, sampled):
    """The page with these figures; its paragraph is filled again. An error names a sentence that
    is not there."""
    figures = dict(programs=NUMBERS[programs])
    figures.update({k: '%.3f' % v for k, v in dict(basic=basic, worst=worst, sampled=sampled).items()})
    for paragraph in text.split('\n\n'):
        if not re.search(SENTENCES[0][0], ' '.join(paragraph.split())):
            continue
        new = ' '.join(paragraph.split())
        for pattern, name in SENTENCES:
            new, found = re.subn(pattern, r'\g<1>%s\g<2>' % figures[name], new)
            if found != 1:
                raise SystemExit('README.md has no sentence like "%s"' % pattern)
        whole = re.sub('`[^`]*`', lambda code: code.group().replace(' ', NO_BREAK), new)
        new = textwrap.fill(whole, 80, break_long_words=False, break_on_hyphens=False)
        return text.replace(paragraph, new.replace(NO_BREAK, ' '))
    raise SystemExit('README.md has no sentence like "%s"' % SENTENCES[0][0])
