/**
 * Learns once a chat template's abilities, by rendering small conversations of words that no template writes itself.
 */
import type { TemplateAbilities } from '../../shared/messages/template-abilities.ts'
import type { NativeChatFormat, NativeModel, NativeTemplateInputs } from '../native.ts'
import { ruleBody, ruleNames } from './gbnf.ts'

type Template = Pick<NativeModel, 'applyTemplate'>
type Message = Readonly<Record<string, unknown>>

/** Matches a word of the conversations below. */
const word = /\bz[xyq][a-z]+\b/g

const system = (content: string): Message => ({ role: 'system', content })
const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })
const result = (id: string, content: unknown): Message => ({ role: 'tool', tool_call_id: id, content })

function calling(content: string, ...ids: readonly string[]): Message {
  const calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: `zxcall${nameEnd(id)}`, arguments: `{"zxkey": "zyargument${nameEnd(id)}"}` },
  }))
  return { role: 'assistant', content, tool_calls: calls }
}

/** Returns a call whose only argument is an object with a list. */
function callingNested(id: string): Message {
  const called = { name: 'zxcall', arguments: '{"zxkey": {"zxinner": ["zyinner", 1]}}' }
  return { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: called }] }
}

/** Returns the last letter of a call's id, which identifies it. */
const nameEnd = (id: string) => id.slice(-1)

const tool = {
  type: 'function',
  function: {
    name: 'zxtool',
    description: 'zydescription',
    parameters: { type: 'object', properties: { zxkey: { type: 'string' } }, required: ['zxkey'] },
  },
}
const [first, second] = ['callid00a', 'callid00b']
const longId = 'call_of_a_client_a'
const picture = { type: 'media_marker', text: 'zqpicture' }

/** One conversation per ability: the template has the ability if it shows all words. */
const conversations = {
  systemAnywhere: [
    system('zxone'),
    system('zxtwo'),
    user('zyone'),
    system('zxlate'),
    assistant('zytwo'),
    system('zxend'),
  ],
  systemFirst: [system('zxone'), user('zyone'), assistant('zytwo'), user('zythree')],
  systemBesideCall: [system('zxone'), user('zyone'), calling('', first), result(first, 'zqone')],
  repeatsRoles: [user('zyone'), user('zytwo'), assistant('zythree'), assistant('zyfour'), user('zyfive')],
  userAfterResults: [user('zyone'), calling('', first), result(first, 'zqone'), user('zytwo')],
  assistantFirst: [assistant('zyone'), user('zytwo')],
  callFirst: [calling('', first), result(first, 'zqone'), user('zytwo')],
  withoutUser: [system('zxone')],
  oneCall: [user('zyone'), calling('', first), result(first, 'zqone'), assistant('zytwo'), user('zythree')],
  severalCalls: [
    ...[user('zyone'), calling('', first, second), result(first, 'zqone'), result(second, 'zqtwo')],
    ...[assistant('zytwo'), user('zythree')],
  ],
  nestedArguments: [user('zyone'), callingNested(first), result(first, 'zqone'), assistant('zytwo')],
  textBesideCalls: [user('zyone'), calling('zytext', first), result(first, 'zqone'), assistant('zytwo')],
  textBesideThinking: [user('zyone'), { ...assistant('zytwo'), reasoning_content: 'Hm.' }, user('zythree')],
  openCalls: [user('zyone'), calling('', first), assistant('zytwo'), user('zythree')],
  openCallAtEnd: [user('zyone'), calling('', first)],
  looseResults: [user('zyone'), assistant('zytwo'), result(first, 'zqone'), assistant('zythree'), user('zyfour')],
  resultPictures: [user('zyone'), calling('', first), result(first, [{ type: 'text', text: 'zqone' }, picture])],
  anyIds: [user('zyone'), calling('', longId), result(longId, 'zqone'), assistant('zytwo'), user('zythree')],
} as const satisfies Readonly<Record<string, readonly Message[]>>

type Ability = keyof typeof conversations

const abilities = Object.keys(conversations) as Ability[]

/**
 * All but `withoutUser` at once: most templates have all of these abilities, and are then known after one rendering.
 */
const everything: readonly Message[] = [
  ...[system('zxone'), system('zxtwo'), assistant('zyone'), user('zytwo'), user('zythree'), system('zxlate')],
  ...[
    assistant('zyfour'),
    { ...assistant('zyfive'), reasoning_content: 'Hm.' },
    user('zysix'),
    calling('zyseven', longId, 'call_of_a_client_b'),
  ],
  ...[
    result(longId, [{ type: 'text', text: 'zqone' }, picture]),
    result('call_of_a_client_b', 'zqtwo'),
    system('zxmid'),
  ],
  ...[assistant('zyeight'), result('call_of_a_client_c', 'zqloose'), user('zynine'), calling('', 'call_of_a_client_d')],
  ...[
    user('zyten'),
    callingNested('call_of_a_client_f'),
    result('call_of_a_client_f', 'zqthree'),
    user('zyask'),
    assistant('zyeleven'),
    user('zytwelve'),
    calling('', 'call_of_a_client_e'),
  ],
]

/**
 * Learns a template's abilities. Never rejects: an unproven ability counts as missing. Takes as long as some twenty
 * short prompts.
 */
export async function learnAbilities(template: Template): Promise<TemplateAbilities> {
  const hi = [user('zyone')]
  const called = await render(template, hi, { tools: true, toolChoice: 'required' })
  const readsCalls = called !== undefined && ruleNames(ruleBody(called.grammar, 'root') ?? '').some(isOfTool)
  const showsTools = called?.prompt.includes('zxtool') === true && called.prompt.includes('zydescription')
  const hasMost = await shows(template, everything, { tools: readsCalls })
  const asked = abilities.filter((ability) => !hasMost || ability === 'withoutUser')
  const has = new Set<Ability>(abilities)
  // Each takes a separate thread.
  await Promise.all(
    asked.map(async (ability) => {
      if (!(await shows(template, conversations[ability], { tools: readsCalls }))) has.delete(ability)
    }),
  )
  const systemFirst = has.has('systemFirst') && (has.has('systemBesideCall') || !has.has('oneCall'))
  const opensBehindSystem = await opensTurn(template, [user('zyone'), assistant('zytwo'), system('zxend')])
  const systemAnywhere = has.has('systemAnywhere') && opensBehindSystem
  const startsAlone = (await render(template, [assistant('zyone')], { continues: true })) !== undefined
  const thinking = await render(template, hi, { enableThinking: true })
  return {
    system: !systemFirst ? 'nowhere' : systemAnywhere ? 'anywhere' : 'first',
    repeatsRoles: has.has('repeatsRoles'),
    userAfterResults: has.has('userAfterResults'),
    assistantFirst: has.has('assistantFirst') && startsAlone && (has.has('callFirst') || !has.has('oneCall')),
    withoutUser: has.has('withoutUser') && (await opensTurn(template, conversations.withoutUser)),
    calls: !has.has('oneCall') ? 'none' : has.has('severalCalls') ? 'several' : 'one',
    nestedArguments: has.has('nestedArguments'),
    textBesideCalls: has.has('textBesideCalls'),
    textBesideThinking: has.has('textBesideThinking'),
    openCalls: has.has('openCalls') && has.has('openCallAtEnd'),
    looseResults: has.has('looseResults'),
    resultPictures: has.has('resultPictures'),
    anyIds: has.has('anyIds'),
    tools: !readsCalls ? 'none' : showsTools ? 'native' : 'syntax',
    thinks: thinking !== undefined && thinking.thinkingStartTag !== '',
  }
}

const isOfTool = (rule: string) => rule.includes('tool')

interface RenderOptions {
  readonly tools?: boolean
  readonly toolChoice?: NativeTemplateInputs['toolChoice']
  readonly enableThinking?: boolean
  readonly continues?: boolean
  readonly addGenerationPrompt?: boolean
}

/** Returns whether the prompt of these messages opens the assistant's turn, as after a user's message. */
async function opensTurn(template: Template, messages: readonly Message[]): Promise<boolean> {
  const [ending, usual] = await Promise.all([messages, [user('zyone')]].map((each) => endingOf(template, each)))
  if (ending === undefined || usual === undefined) return false
  // The end of the message also follows the text, and may differ by role.
  return ending.behindText === usual.behindText || (usual.opening !== '' && ending.opening === usual.opening)
}

/** Returns the prompt's end behind the last text, and the part that opens the turn of the assistant. */
async function endingOf(template: Template, messages: readonly Message[]) {
  const opened = await render(template, messages, {})
  const closed = await render(template, messages, { addGenerationPrompt: false })
  if (opened === undefined) return undefined
  const isBegun = closed !== undefined && opened.prompt.startsWith(closed.prompt)
  return {
    behindText: opened.prompt.split(word).at(-1),
    opening: isBegun ? opened.prompt.slice(closed.prompt.length) : undefined,
  }
}

async function shows(template: Template, messages: readonly Message[], options: RenderOptions): Promise<boolean> {
  const format = await render(template, messages, options)
  const words = JSON.stringify(messages).match(word) ?? []
  return format !== undefined && words.every((each) => format.prompt.includes(each))
}

/** Renders messages; undefined if the template refuses them. */
async function render(
  template: Template,
  messages: readonly Message[],
  {
    tools = false,
    toolChoice = tools ? 'auto' : 'none',
    enableThinking = false,
    continues = false,
    addGenerationPrompt = !continues,
  }: RenderOptions,
): Promise<NativeChatFormat | undefined> {
  const inputs: NativeTemplateInputs = {
    messagesJson: JSON.stringify(messages),
    toolsJson: tools ? JSON.stringify([tool]) : '',
    toolChoice,
    parallelToolCalls: true,
    enableThinking,
    templateVariables: {},
    addGenerationPrompt,
    continueFinalMessage: continues,
  }
  return template.applyTemplate(inputs).catch(() => undefined)
}
