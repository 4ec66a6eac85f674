import { join } from 'node:path'
import { ReplyReader } from '../../../src/engines/llama/answer/reply-reader.ts'
import type { NativeChatFormat, NativeModel } from '../../../src/engines/llama/native.ts'
import { loadOptions, onCpu } from '../../../src/engines/llama/placement.ts'
import { openTestAddon } from '../../../src/testing/native-options.ts'
import { htmlPieces, textPieces, toolName, toolParameters, toolPieces } from './events.ts'
import type { BenchSink, LongAnswer } from './measure-sink.ts'

/** Model's answer in pieces, and the engine's reader of it. */
export interface ReaderSubject {
  readonly name: string
  readonly kind: string
  readonly open: () => BenchSink<string>
  readonly answer: LongAnswer<string>
}

/**
 * Returns the engine's readers with the starter model's real chat format, which tell text, thinking and calls apart.
 */
export async function readerSubjects(root: string, pieces: number): Promise<ReaderSubject[]> {
  const addon = await openTestAddon()
  const model = await addon.loadModel(loadOptions(join(root, 'models/starter/starter-chat-q8_0.gguf'), onCpu))
  const plain = await chatFormat(model, '[]')
  const withTools = await chatFormat(model, JSON.stringify([tool]))
  const name = 'engine, reading'
  const noThought = '<think>\n\n</think>\n\n'
  return [
    {
      name,
      kind: 'text',
      open: () => reader(plain),
      answer: { head: [noThought], body: textPieces(pieces), tail: [] },
    },
    {
      name,
      kind: 'text with tools offered',
      open: () => reader(withTools),
      answer: { head: [noThought], body: textPieces(pieces), tail: [] },
    },
    {
      name,
      kind: 'HTML with tools offered',
      open: () => reader(withTools),
      answer: { head: [noThought], body: htmlPieces(pieces), tail: [] },
    },
    {
      name,
      kind: 'thinking',
      open: () => reader(plain),
      answer: { head: ['<think>', '\n'], body: textPieces(pieces), tail: ['\n', '</think>', '\n\n', 'Yes.'] },
    },
    {
      name,
      kind: 'one huge call',
      open: () => reader(withTools),
      answer: {
        head: [noThought, '<tool_call>', `\n{"name": "${toolName}", "arguments": `],
        body: toolPieces(pieces, 'text'),
        tail: ['}', '\n', '</tool_call>'],
      },
    },
  ]
}

function reader(format: NativeChatFormat): BenchSink<string> {
  const reading = new ReplyReader(format)
  return { push: (piece) => reading.push(piece), end: () => reading.end() }
}

const tool = { type: 'function', function: { name: toolName, description: 'Writes.', parameters: toolParameters } }

function chatFormat(model: NativeModel, toolsJson: string): Promise<NativeChatFormat> {
  return model.applyTemplate({
    messagesJson: JSON.stringify([{ role: 'user', content: 'Write it down.' }]),
    toolsJson,
    toolChoice: 'auto',
    parallelToolCalls: true,
    enableThinking: true,
    templateVariables: {},
    addGenerationPrompt: true,
    continueFinalMessage: false,
  })
}
