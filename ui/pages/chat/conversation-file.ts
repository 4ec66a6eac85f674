/** Conversations as files: JSON with pictures as data URLs. */

import { newId, type TextFile } from './conversation.ts'
import { fields, list, text, texts } from './json-fields.ts'
import { readPictures } from './kept/exchange-record.ts'
import { toBlob } from './kept/picture-blob.ts'
import type { ExchangeRecord, KeptConversation, PictureRecord } from './kept/records.ts'
import { titleOf } from './kept/title.ts'
import { readSettings } from './settings.ts'

const oneFormat = 'inferd-conversation'
const allFormat = 'inferd-conversations'

/** Returns the text of a file with one conversation. */
export async function writeFile(kept: KeptConversation): Promise<string> {
  return JSON.stringify(await writeConversation(kept), null, 2)
}

/** Returns the text of a file with several conversations. */
export async function writeAllFile(conversations: readonly KeptConversation[]): Promise<string> {
  const written = await Promise.all(conversations.map(writeConversation))
  return JSON.stringify({ format: allFormat, version: 1, conversations: written }, null, 2)
}

async function writeConversation({ conversation, exchanges, pictures }: KeptConversation): Promise<object> {
  const urls = await readPictures(pictures)
  const { id, title, isNamed, createdAtMs, changedAtMs, leaf, models, system, settings, tools } = conversation
  return {
    ...{ format: oneFormat, version: 2, id, title, is_named: isNamed },
    ...{ created_at_ms: createdAtMs, changed_at_ms: changedAtMs, leaf, models, system, settings, tools },
    exchanges: exchanges
      .filter(({ isRemoved }) => isRemoved !== true)
      .map((exchange) => ({
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

/** Reads the conversations of a file. Throws an Error if it holds none. */
export function readFile(content: string, nowMs: number): KeptConversation[] {
  const file = fields(JSON.parse(content))
  if (file.format === oneFormat) return [readConversation(file, nowMs)]
  if (file.format !== allFormat || !Array.isArray(file.conversations))
    throw new Error('It is no conversation of these pages.')
  return file.conversations.map((one: unknown) => readConversation(fields(one), nowMs))
}

function readConversation(file: Readonly<Record<string, unknown>>, nowMs: number): KeptConversation {
  if (!Array.isArray(file.exchanges)) throw new Error('It is no conversation of these pages.')
  const id = wholeNumber(file.id) ?? newId()
  const pictures: PictureRecord[] = []
  const exchanges: ExchangeRecord[] = []
  for (const given of file.exchanges.map(fields)) {
    const question = fields(given.question)
    const shown = list(question.pictures).map(fields).filter(isPicture)
    const own = wholeNumber(given.id) ?? newId()
    const facts = shown.map(({ id: pictureId, name, width, height, bytes, url }) => {
      const kept = { id: wholeNumber(pictureId) ?? newId(), name: text(name), width, height, bytes }
      pictures.push({ conversation: id, id: kept.id, blob: toBlob(url) })
      return kept
    })
    const files = list(question.files).map(fields).map(readTextFile)
    exchanges.push({
      ...{ conversation: id, id: own, questionId: wholeNumber(given.question_id) ?? own },
      // Files of version 1 are one branch in order.
      parent: file.version === 2 ? (wholeNumber(given.parent) ?? 0) : (exchanges.at(-1)?.id ?? 0),
      askedAtMs: wholeNumber(given.asked_at_ms) ?? nowMs + exchanges.length,
      text: text(question.text),
      pictures: facts,
      lostPictures: wholeNumber(question.lostPictures) ?? 0,
      ...(files.length > 0 && { files }),
      answers: list(given.answers),
    })
  }
  return {
    conversation: {
      id,
      title: text(file.title) || titleOf(exchanges[0]?.text ?? ''),
      isNamed: file.is_named === true,
      createdAtMs: wholeNumber(file.created_at_ms) ?? nowMs,
      changedAtMs: wholeNumber(file.changed_at_ms) ?? nowMs,
      leaf: wholeNumber(file.leaf) ?? exchanges.at(-1)?.id ?? 0,
      models: texts(file.models).slice(0, 2),
      system: text(file.system),
      settings: readSettings(file.settings),
      tools: text(file.tools),
    },
    exchanges,
    pictures,
  }
}

function readTextFile(file: Readonly<Record<string, unknown>>): TextFile {
  const ownText = text(file.text)
  return {
    id: wholeNumber(file.id) ?? newId(),
    name: text(file.name),
    text: ownText,
    bytes: wholeNumber(file.bytes) ?? 0,
  }
}

interface FilePicture {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

function isPicture(value: Record<string, unknown>): value is Record<string, unknown> & FilePicture {
  const isKnown = /^data:image\/(png|jpeg|webp|gif);base64,[\w+/=]+$/.test(text(value.url))
  return isKnown && ['width', 'height', 'bytes'].every((name) => typeof value[name] === 'number')
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
