/** Hostile PDFs are read, refused or stopped: never more than their memory and time, and no process stays. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Unreadable } from '../images/unreadable.ts'
import { hostilePdfs, type PdfCase, slowPdf } from '../testing/hostile-pdfs.ts'
import { toPdf } from '../testing/pdfs.ts'
import { testedProgram } from '../testing/tested-program.ts'
import type { DocumentPage } from './document-pages.ts'
import { readDocument } from './read-document.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-pdfs-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const question = { pictures: 'all', hasPixels: true } as const
/** Times within which files of each outcome end. Those that may be stopped are stopped soon. */
const limitsMs = { read: 60_000, refused: 60_000, ended: 2_000 } as const

async function pagesOf(
  file: Uint8Array,
  limitMs: number,
  signal = new AbortController().signal,
): Promise<DocumentPage[]> {
  const path = join(folder, 'a.pdf')
  writeFileSync(path, file)
  return await Array.fromAsync(readDocument(path, question, { command: testedProgram, limitMs, signal }))
}

async function outcomeOf({ file, outcome }: PdfCase): Promise<'read' | 'refused'> {
  try {
    await pagesOf(file(), limitsMs[outcome])
    return 'read'
  } catch (error) {
    if (error instanceof Unreadable) return 'refused'
    throw error
  }
}

test.each(hostilePdfs)(
  '$name: $outcome',
  async (pdf) => {
    expect(await outcomeOf(pdf)).toBeOneOf(pdf.outcome === 'ended' ? ['read', 'refused'] : [pdf.outcome])
  },
  120_000,
)

test('a hundred pages are read in order', async () => {
  const pages = await pagesOf(toPdf(Array.from({ length: 100 }, (_, index) => ({ lines: [`p${index + 1}`] }))), 60_000)
  expect(pages.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, (_, index) => `p${index + 1}`))
}, 120_000)

test('an aborted request ends the process', async () => {
  const reason = new Error('gone')
  const abort = new AbortController()
  const reading = pagesOf(slowPdf(), 60_000, abort.signal)
  abort.abort(reason)
  await expect(reading).rejects.toBe(reason)
})
