"""How many words of a transcript are wrong."""


def word_errors(reference, heard):
    """-> insertions, deletions and substitutions that turn one text into the other; words of the reference"""
    expected, words = reference.split(), heard.split()
    row = list(range(len(words) + 1))
    for i, want in enumerate(expected, 1):
        before, row[0] = row[:], i
        for j, word in enumerate(words, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (want != word))
    return row[-1], len(expected)
