/** Text files of a message, which models read as part of it. */
import { bytesText } from '../../parts/bytes-text.ts'
import { texts } from '../../texts/texts.ts'
import { newId, type TextFile } from './conversation.ts'

/** Largest text file in bytes: far more than most models read at once. */
const maximumBytes = 1_000_000

/** Reads a file as text. Rejects with an Error that explains why it cannot be sent. */
export async function readTextFile(file: File): Promise<TextFile> {
  if (file.size > maximumBytes)
    throw new Error(texts.chat.fileTooLarge(file.name, bytesText(file.size), bytesText(maximumBytes)))
  const text = decode(await file.arrayBuffer())
  if (text === undefined) throw new Error(texts.chat.noText(file.name))
  return { id: newId(), name: file.name, text, bytes: file.size }
}

/** Returns the text of UTF-8. Undefined for other bytes. */
function decode(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Returns a message after its files, each as a block of code under its name. */
export function withFiles(text: string, files: readonly TextFile[]): string {
  return [...files.map(toBlock), ...(text === '' ? [] : [text])].join('\n\n')
}

function toBlock({ name, text }: TextFile): string {
  const runs = text.match(/`{3,}/g) ?? []
  const longest = Math.max(2, ...runs.map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const language = /\.(\w+)$/.exec(name)?.[1] ?? ''
  return `${name}:\n${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}
