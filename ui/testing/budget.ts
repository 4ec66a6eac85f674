/** Limits of the built pages in compressed bytes */

/** Scripts of a first visit */
export const maximumScriptBytes = 60_000

export const maximumStyleBytes = 13_000
