"""How well embeddings tell speakers apart."""

import numpy as np


def trials(embeddings, speakers):
    """-> cosines of pairs of the same speaker, of different ones"""
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    first, second = np.triu_indices(len(unit), 1)
    cosines, same = (unit @ unit.T)[first, second], np.asarray(speakers)[first] == np.asarray(speakers)[second]
    return cosines[same], cosines[~same]


def equal_error(same, different):
    """-> the rate at which as many pairs are joined wrongly as are parted wrongly, and its threshold"""
    thresholds = np.quantile(np.concatenate([same, different]), np.linspace(0, 1, 501))
    parted = np.array([(same < threshold).mean() for threshold in thresholds])
    joined = np.array([(different >= threshold).mean() for threshold in thresholds])
    at = np.abs(parted - joined).argmin()
    return (parted[at] + joined[at]) / 2, thresholds[at]
