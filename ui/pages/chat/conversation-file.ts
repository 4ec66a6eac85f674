/** Conversations as files: JSON with pictures as data URLs. */

import { type DocumentFacts, newId, type TextFile } from './conversation.ts'
import { fields, list, text, texts } from './json-fields.ts'
import { readPictures } from './kept/exchange-record.ts'
import { toBlob } from './kept/picture-blob.ts'
import type { ExchangeRecord, KeptConversation, PictureRecord } from './kept/records.ts'
import { titleOf } from './kept/title.ts'
import { withoutRemoved } from './kept/tree.ts'
import { readSettings } from './settings.ts'

const oneFormat = 'inferd-conversation'
const allFormat = 'inferd-conversations'

/** Characters of a title that the pages take */
export const maximumTitle = 200
const mostColumns = 2

/** Returns a file with one conversation. */
export async function writeFile(kept: KeptConversation): Promise<Blob> {
  return new Blob([JSON.stringify(await writeConversation(kept), null, 2)], { type: 'application/json' })
}

/** Returns a file with the conversations of several files. The browser need not hold all of it in memory. */
export function joinFiles(files: readonly Blob[]): Blob {
  const head = `{\n"format": "${allFormat}",\n"version": 1,\n"conversations": [\n`
  const parts = files.flatMap((file, index) => (index === 0 ? [file] : [',\n', file]))
  return new Blob([head, ...parts, '\n]\n}\n'], { type: 'application/json' })
}

async function writeConversation({ conversation, exchanges, pictures }: KeptConversation): Promise<object> {
  const urls = await readPictures(pictures)
  const { id, title, isNamed, createdAtMs, changedAtMs, leaf, models, system, settings, tools } = conversation
  return {
    ...{ format: oneFormat, version: 2, id, title, is_named: isNamed },
    ...{ created_at_ms: createdAtMs, changed_at_ms: changedAtMs, leaf, models, system, settings, tools },
    exchanges: withoutRemoved(exchanges).map((exchange) => ({
      ...{ id: exchange.id, parent: exchange.parent, question_id: exchange.questionId },
      asked_at_ms: exchange.askedAtMs,
      question: {
        text: exchange.text,
        pictures: exchange.pictures.map((picture) => ({ ...picture, url: urls.get(picture.id) })),
        lostPictures: exchange.lostPictures,
        ...(exchange.files !== undefined && { files: exchange.files }),
      },
      answers: exchange.answers,
    })),
  }
}

/** Reads the conversations of a file. Returns undefined if it is no file of conversations. */
export function readFile(content: string, nowMs: number): KeptConversation[] | undefined {
  try {
    const file = fields(JSON.parse(content))
    const all = file.format === oneFormat ? [file] : file.format === allFormat ? file.conversations : undefined
    return Array.isArray(all) ? all.map((one: unknown) => readConversation(fields(one), nowMs)) : undefined
  } catch {
    return undefined
  }
}

function readConversation(file: Readonly<Record<string, unknown>>, nowMs: number): KeptConversation {
  if (!Array.isArray(file.exchanges)) throw new Error('A conversation has no exchanges.')
  const id = idOf(file.id) ?? newId()
  // A wrong clock elsewhere must not keep a conversation at the top of the list.
  const timeOf = (value: unknown, defaultMs = nowMs) => Math.min(wholeNumber(value) ?? defaultMs, defaultMs)
  const pictures: PictureRecord[] = []
  const exchanges: ExchangeRecord[] = []
  for (const given of file.exchanges.map(fields)) {
    const question = fields(given.question)
    const shown = list(question.pictures).map(fields)
    const own = idOf(given.id) ?? newId()
    const facts = shown.filter(isPicture).map(({ id: pictureId, name, width, height, bytes, url, document }) => {
      const size = { id: idOf(pictureId) ?? newId(), name: text(name), width, height, bytes }
      const kept = url.startsWith('data:image/') ? size : { ...size, document: readFacts(fields(document)) }
      pictures.push({ conversation: id, id: kept.id, blob: toBlob(url) })
      return kept
    })
    const files = list(question.files).map(fields).filter(hasText).map(toTextFile)
    exchanges.push({
      ...{ conversation: id, id: own, questionId: idOf(given.question_id) ?? own },
      // Files of version 1 are one branch in order.
      parent: file.version === 2 ? (wholeNumber(given.parent) ?? 0) : (exchanges.at(-1)?.id ?? 0),
      askedAtMs: timeOf(given.asked_at_ms, nowMs + exchanges.length),
      text: text(question.text),
      pictures: facts,
      lostPictures: (wholeNumber(question.lostPictures) ?? 0) + shown.length - facts.length,
      ...(files.length > 0 && { files }),
      answers: list(given.answers).slice(0, mostColumns),
    })
  }
  return {
    conversation: {
      id,
      title: text(file.title).slice(0, maximumTitle) || titleOf(exchanges[0]?.text ?? ''),
      isNamed: file.is_named === true,
      createdAtMs: timeOf(file.created_at_ms),
      changedAtMs: timeOf(file.changed_at_ms),
      leaf: wholeNumber(file.leaf) ?? exchanges.at(-1)?.id ?? 0,
      models: texts(file.models).slice(0, mostColumns),
      system: text(file.system),
      settings: readSettings(file.settings),
      tools: text(file.tools),
    },
    exchanges,
    pictures,
  }
}

function hasText(file: Readonly<Record<string, unknown>>): boolean {
  return typeof file.text === 'string'
}

function toTextFile({ id, name, text: content, bytes }: Readonly<Record<string, unknown>>): TextFile {
  return { id: idOf(id) ?? newId(), name: text(name), text: text(content), bytes: wholeNumber(bytes) ?? 0 }
}

interface FilePicture {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** Returns the known figures of a document. */
function readFacts({ tokens, pages }: Readonly<Record<string, unknown>>): DocumentFacts {
  const [knownTokens, knownPages] = [wholeNumber(tokens), wholeNumber(pages)]
  return {
    ...(knownTokens !== undefined && { tokens: knownTokens }),
    ...(knownPages !== undefined && { pages: knownPages }),
  }
}

function isPicture(value: Record<string, unknown>): value is Record<string, unknown> & FilePicture {
  const isKnown = /^data:(image\/(png|jpeg|webp|gif)|(application|audio)\/[\w.+-]+);base64,[\w+/=]+$/.test(
    text(value.url),
  )
  return isKnown && ['width', 'height', 'bytes'].every((name) => typeof value[name] === 'number')
}

/** Reads an id. Number 0 stands for the beginning of a conversation. */
function idOf(value: unknown): number | undefined {
  return value === 0 ? undefined : wholeNumber(value)
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
