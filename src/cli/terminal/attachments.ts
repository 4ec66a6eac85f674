/** Pictures, documents and text files that a message names by their paths. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname, resolve } from 'node:path'
import { errorText } from '../../core/error-text.ts'
import { sizeText } from '../../core/quantities.ts'
import { CommandError } from '../io.ts'

export interface Attachment {
  readonly name: string
  readonly part: ContentPart
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } }

const office = 'application/vnd.openxmlformats-officedocument'

/** Media types of pictures and documents by the ends of their names. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.bmp': 'image/bmp',
  '.pdf': 'application/pdf',
  '.docx': `${office}.wordprocessingml.document`,
  '.xlsx': `${office}.spreadsheetml.sheet`,
  '.pptx': `${office}.presentationml.presentation`,
}

/** Most bytes of a text file. A longer one fits no usual context. */
const textLimitBytes = 1_000_000
/** Most bytes of a picture or a document. */
const mediaLimitBytes = 50_000_000

/** Path in a text: in quotes, or without blanks except escaped ones. */
const pathInText =
  /(?<=^|\s)(?:"((?:\/|~\/|\.{1,2}\/)[^"\n]+)"|'((?:\/|~\/|\.{1,2}\/)[^'\n]+)'|((?:\/|~\/|\.{1,2}\/)(?:\\.|[^\s\\])+))/g

/** Returns the paths of existing files that a text names. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(pathInText)]
    .map(([, double, single, bare]) => fullPath(double ?? single ?? (bare ?? '').replaceAll(/\\(.)/g, '$1')))
    .filter(isFile)
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // not there, not permitted, or no possible name
  }
}

/** Reads a file for a message. Throws CommandError if it is missing, too large, or of another kind. */
export function readAttachment(written: string): Attachment {
  const path = fullPath(written)
  const name = basename(path)
  const type = mediaTypes[extname(path).toLowerCase()]
  const bytes = readFile(path, type === undefined ? textLimitBytes : mediaLimitBytes)
  if (type !== undefined) return { name, part: toPart(name, type, `data:${type};base64,${bytes.toString('base64')}`) }
  const text = textOf(bytes)
  if (text === undefined) throw new CommandError(`${written} is neither text, a picture nor a document (${known()})`)
  return { name, part: { type: 'text', text: `${name}:\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n` } }
}

function toPart(filename: string, type: string, url: string): ContentPart {
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  return { type: 'file', file: { filename, file_data: url } }
}

function known(): string {
  return Object.keys(mediaTypes).join(', ')
}

function readFile(path: string, limitBytes: number): Buffer {
  try {
    const found = statSync(path)
    if (found.isDirectory()) throw new Error('it is a folder')
    if (!found.isFile() && !found.isFIFO()) throw new Error('it is neither a file nor a pipe')
    const { size } = found
    if (size > limitBytes) throw new Error(`it has ${sizeText(size)}; ${sizeText(limitBytes)} are the limit`)
    return readFileSync(path)
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${errorText(error)}`)
  }
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function fullPath(written: string): string {
  return resolve(written.startsWith('~/') ? `${homedir()}${written.slice(1)}` : written)
}
