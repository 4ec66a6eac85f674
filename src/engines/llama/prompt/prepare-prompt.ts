/** Everything about a request that depends on the model's chat template. */
import type { ChatRequest, Tool } from '../../../core/chat.ts'
import type { NativeChatFormat, NativeModel, NativeTemplateInputs } from '../native.ts'
import { SchemaMarks } from '../schema/held-schema.ts'
import { enforceableTools, textGrammar } from '../schema/schema-grammar.ts'
import { type AnswerGrammar, anyText, bareCallGrammar, forcedGrammar, lazyGrammar } from './answer-grammar.ts'
import { contentFrame } from './content-frame.ts'
import { type PromptRequest, type RenderedPrompt, type RenderingModel, renderPrompt } from './prompt.ts'
import { simplerForms } from './simpler-tools.ts'
import { type Thinking, thinkingOf } from './thinking.ts'
import { exampleCall, showsTools, withToolNotes, writtenExample } from './tool-notes.ts'
import { withWrittenCalls } from './written-calls.ts'

export type TemplateModel = RenderingModel & Pick<NativeModel, 'schemaGrammar' | 'tokenize'>

/** Settings by which an answer is generated. */
export interface AnswerSetup {
  /** The part of the answer's format that the sampler uses. */
  readonly format: SampledFormat
  readonly grammar: AnswerGrammar
  /** Beginning of the answer that the caller wrote. The grammar is advanced past it. */
  readonly grammarPrefix: string
  readonly thinking: Thinking
  /** Tokens that would begin a call in an answer that may contain none. */
  readonly bannedTokens: readonly number[]
}

type SampledFormat = Pick<
  NativeChatFormat,
  'additionalStops' | 'preservedTokens' | 'generationPrompt' | 'thinkingStartTag' | 'thinkingEndTags'
>

export interface PromptSetup extends AnswerSetup, Pick<RenderedPrompt, 'prompt' | 'pictures'> {
  /** Reads the answer. */
  readonly format: NativeChatFormat
}

/** Renders the prompt alone, as for an answer, or ending with the last message if `isClosed`. */
export function renderRequest(
  model: TemplateModel,
  request: ChatRequest & Pick<PromptRequest, 'isClosed'>,
): Promise<RenderedPrompt> {
  return render(model, request, request.tools, 'none')
}

/**
 * Renders the prompt with all tools, even those that may not be called, so that it stays the same and cached from turn
 * to turn. The tools that may be called determine grammar and parser. Throws ApiError for problems that the caller must
 * fix.
 */
export async function preparePrompt(model: TemplateModel, request: ChatRequest): Promise<PromptSetup> {
  const { tools, toolChoice } = request
  const { allowed } = toolChoice
  const callable = allowed === undefined ? tools : tools.filter((tool) => allowed.includes(tool.name))
  const choice = callable.length === 0 ? 'none' : toolChoice.mode
  const marks = new SchemaMarks()
  const offered = choice === 'none' ? tools : await enforceableTools(model, callable, marks)
  const isWhole = offered.length === tools.length && offered.every((tool, index) => tool === tools[index])
  const whole = await render(model, request, tools, isWhole ? choice : 'none')
  const { format } = isWhole ? whole : await render(model, request, offered, choice)
  const thinking = thinkingOf(request)
  const unmarked = await answerGrammar(model, request, { format, offered, choice, thinking, marks })
  const grammar = { ...unmarked, text: marks.complete(unmarked.text) }
  const isHeld = request.answerSchema !== undefined || request.answerChoices !== undefined
  const grammarPrefix = isHeld ? whole.continuedText : ''
  const bannedTokens = choice === 'none' && tools.length > 0 ? await callTokens(model, request) : []
  const { prompt, pictures } = whole
  return { prompt, pictures, format, grammar, grammarPrefix, thinking, bannedTokens }
}

/** Returns the tokens that only ever begin a call; none for formats that write calls in ordinary words. */
async function callTokens(model: TemplateModel, request: ChatRequest): Promise<number[]> {
  const { format } = await render(model, request, request.tools.slice(0, 1), 'auto')
  const words = format.grammarTriggers.flatMap(({ type, value }) => (type === 'word' ? [value.trim()] : []))
  const tokens = await Promise.all(words.map((word) => model.tokenize(word, false, true)))
  return tokens.flatMap((pieces) => (pieces.length === 1 ? [...pieces] : []))
}

async function render(
  model: TemplateModel,
  request: ChatRequest & Pick<PromptRequest, 'isClosed'>,
  tools: readonly Tool[],
  toolChoice: NativeTemplateInputs['toolChoice'],
): Promise<RenderedPrompt> {
  const { enableThinking, templateVariables } = thinkingOf(request)
  const { messages, parallelToolCalls, isClosed } = request
  const whole = { messages, tools, toolChoice, parallelToolCalls, enableThinking, templateVariables, isClosed }
  if (tools.length > 0 && model.abilities.tools === 'none') return renderWithNotes(model, whole)
  const rendered = await renderPrompt(model, whole).catch((refusal: unknown) => renderSimpler(model, whole, refusal))
  if (tools.length === 0 || showsTools(rendered.format.prompt, tools)) return rendered
  const example = await exampleCall(model)
  return example === undefined
    ? rendered
    : renderPrompt(model, { ...whole, messages: withToolNotes(messages, tools, example) })
}

/**
 * Renders with simpler forms of the tools: the template may have refused a tool rather than a message. Throws the
 * refusal if no form helps.
 */
async function renderSimpler(model: TemplateModel, whole: PromptRequest, refusal: unknown): Promise<RenderedPrompt> {
  for (const tools of whole.tools.length === 0 ? [] : simplerForms(whole.tools)) {
    const rendered = await renderPrompt(model, { ...whole, tools }).catch(() => undefined)
    if (rendered !== undefined) return rendered
  }
  throw refusal
}

/** Renders for a template without tools: notes in the system message show them and how to call them. */
async function renderWithNotes(model: TemplateModel, whole: PromptRequest): Promise<RenderedPrompt> {
  const messages = withToolNotes(whole.messages, whole.tools, writtenExample)
  const rendered = await renderPrompt(model, { ...whole, messages, tools: [], toolChoice: 'none' })
  return { ...rendered, format: await withWrittenCalls(model, rendered.format, whole) }
}

/** Returns the grammar of calls that the model may make. */
async function waitingGrammar(
  model: TemplateModel,
  request: ChatRequest,
  format: NativeChatFormat,
  offered: readonly Tool[],
): Promise<AnswerGrammar> {
  const lazy = lazyGrammar(format)
  if (lazy !== anyText) return lazy
  const required = await render(model, request, offered, 'required')
  return bareCallGrammar(format, required.format.grammar, offered)
}

interface GrammarRequest {
  readonly format: NativeChatFormat
  readonly offered: readonly Tool[]
  readonly choice: NativeTemplateInputs['toolChoice']
  readonly thinking: Thinking
  readonly marks: SchemaMarks
}

async function answerGrammar(
  model: TemplateModel,
  request: ChatRequest,
  { format, offered, choice, thinking, marks }: GrammarRequest,
): Promise<AnswerGrammar> {
  const common = { format, mayThink: thinking.enableThinking !== false }
  if (choice === 'required') return forcedGrammar({ ...common, callGrammar: format.grammar })
  const text = await textGrammar(model, request, marks)
  if (text === undefined) return choice === 'auto' ? waitingGrammar(model, request, format, offered) : anyText
  const schema = { grammar: text, frame: await contentFrame(model, format) }
  if (choice === 'none') return forcedGrammar({ ...common, schema })
  const required = await render(model, request, offered, 'required')
  return forcedGrammar({ ...common, schema, callGrammar: required.format.grammar })
}
