/**
 * Decides what the next step computes for the answers that hold a slot; `slot-sharing.ts` decides which answers do.
 * Pure: the same state gives the same step. The rules, in the order in which they apply:
 *
 * 1. Kinds of steps. A step computes tokens, prompts alone, pictures, or encodings of pictures. Prompts count as
 *    tokens, unless they are decoded apart from answers (`decodesApart`).
 * 2. Turns of kinds. Every other step computes tokens, which running answers wait for, so that an answer waits for at
 *    most one other step besides its own. The other kinds take turns between them, so that a large picture blocks
 *    neither other encodings nor prompts.
 * 3. Answers of a step. As many take part as give the most tokens per second, those that have waited longest first.
 * 4. Proposed tokens. In a step without prompts, answers get as many as make them faster together.
 * 5. Pace of prompts. A step takes as many tokens of prompts as may delay the answers that wait for it.
 * 6. Shares of accounts. Accounts share these tokens equally; within an account a prompt is taken whole, first come
 *    first served.
 * 7. Pictures. They are decoded at the pace and in the shares of prompts, or alone and whole.
 * 8. Scored prompts. A step takes as many of their tokens as it can read rows, and beside answers of other accounts they
 *    take a small share of the time (`scored-prompts.ts`).
 * 9. Order in a step. Its pieces lie in the order of their sequences (`layOutTokens`).
 * 10. Steps without a plan. The addon continues by itself while no rule would change the next step.
 *
 * Durations are those measured in earlier steps (`step-costs.ts`).
 */
import type { Drafts } from './drafts/drafts.ts'
import type { Proposal } from './drafts/ngram-drafts.ts'
import type { SortedSlots } from './pictures.ts'
import { decodesApart, rowGroup } from './processor.ts'
import { isSound, tokensFrom } from './prompt-layout.ts'
import { isScored, takingPart } from './scored-prompts.ts'
import type { Slot } from './slot.ts'
import type { StepCosts } from './step-costs.ts'
import { layOutPictures, layOutTokens, type PictureSlot, type StepPlan, toChunk } from './step-plan.ts'

export interface StepLimits {
  /** Maximum entries per batch. */
  readonly batchTokens: number
  /** Prompt tokens of a step, whatever they cost, while nobody waits for it. Absent fills its room. */
  readonly pieceTokens?: number | undefined
  /** Rows from which attention is computed in tiles (`tileRowsOf`). */
  readonly tileRows: number
  /** True if the entries of a picture attend to each other in any order. */
  readonly isNonCausal: boolean
  /** Proposals for answers. Undefined disables them. */
  readonly drafts: Pick<Drafts, 'propose' | 'mostRows'> | undefined
  /** True if the model's draft head takes part in steps. */
  readonly hasDraftHead: boolean
}

/** Facts that a step depends on, besides the limits. */
interface StepState {
  /** Slots by their next work. */
  readonly sorted: SortedSlots
  /** True if all sequences share one KV cache. */
  readonly isUnified: boolean
  readonly costs: StepCosts
  /** Entries of a step that can be read. */
  readonly maxOutputs: number
  /** Steps computed so far. */
  readonly steps: number
  readonly history: StepHistory
}

/** Facts of earlier steps. */
interface StepHistory {
  readonly wasTokens: boolean
  readonly lastOther: OtherKind
  /** Steps so far, by kind. They rotate the turns within a kind. */
  readonly turns: Readonly<Record<StepKind, number>>
  /** Count of steps from which tokens are proposed again. */
  readonly proposesFrom: number
  /** Count of steps at which excessive costs of proposals were reconsidered last. */
  readonly retriedAt: number
  /** Milliseconds that answers go on before the next step may score prompts beside them. */
  readonly scoringDebtMs: number
}

type NextStep = { readonly history: StepHistory } & (
  | { readonly kind: Exclude<StepKind, 'encoding'>; readonly plan: StepPlan }
  /** `isAwaited`: answers wait until the pictures are encoded. */
  | { readonly kind: 'encoding'; readonly slots: readonly Slot[]; readonly isAwaited: boolean }
)

const otherKinds = ['prompts', 'pictures', 'encoding'] as const

type OtherKind = (typeof otherKinds)[number]

export type StepKind = 'tokens' | OtherKind

type StepWork = SortedSlots & { readonly prompts: readonly Slot[] }

export const noHistory: StepHistory = {
  wasTokens: false,
  lastOther: 'encoding',
  turns: { tokens: 0, prompts: 0, pictures: 0, encoding: 0 },
  proposesFrom: 0,
  retriedAt: 0,
  scoringDebtMs: 0,
}

export class StepPolicy {
  readonly #limits: StepLimits

  constructor(limits: StepLimits) {
    this.#limits = limits
  }

  /** Returns the next step; undefined if there is nothing to compute. */
  plan(state: StepState): NextStep | undefined {
    const tokens = [...takingPart(state.sorted.tokens, state.history)]
    const work = workOf({ ...state.sorted, tokens }, decodesApart({ ...this.#limits, ...state }))
    const kind = nextKind((each) => work[each].length > 0, state.history)
    if (kind === undefined) return undefined
    const history = withTurn(state.history, kind)
    const answers = work.tokens.filter(({ answer }) => answer.isGenerating)
    if (kind === 'encoding') return { kind, history, slots: work.encoding, isAwaited: answers.length > 0 }
    const { pieceTokens, tileRows } = this.#limits
    const turn = state.history.turns[kind]
    const accounts = answers.map(({ accountId }) => accountId)
    const share = (prompts: readonly PromptDemand[], room: number) => {
      const tokens = prefillTokens(state.costs, { room, pieceTokens, answers: accounts, prompts, tileRows })
      return shareBudget(prompts, { tokens, limit: room, turn })
    }
    if (kind === 'pictures') {
      const { batchTokens, isNonCausal } = this.#limits
      const isWhole = ({ run }: PictureSlot) => isNonCausal && !isSound(run.picture)
      const next = work.pictures[turn % work.pictures.length]
      const plan =
        next !== undefined && isWhole(next)
          ? planWhole(next)
          : planPieces(
              work.pictures.filter((slot) => !isWhole(slot)),
              share,
              batchTokens,
            )
      return { kind, history, plan }
    }
    const hasOthers = otherKinds.some((each) => work[each].length > 0)
    const { plan, isRetrial } = this.#planTokens(work[kind], state, { hasOthers, share, turn })
    return { kind, plan, history: isRetrial ? { ...history, retriedAt: state.steps } : history }
  }

  /** Plans answers, prompts or both. `hasOthers`: prompts, pictures or encodings wait for a separate step. */
  #planTokens(
    slots: readonly Slot[],
    state: StepState,
    { hasOthers, share, turn }: { readonly hasOthers: boolean; readonly share: Share; readonly turn: number },
  ) {
    const running = slots.filter(({ answer }) => answer.isGenerating)
    const processing = slots.filter(({ answer }) => !answer.isGenerating)
    // Beside other work all answers go on: any left out would wait for the next prompts or pictures too.
    const all = { rows: running.length, isTrial: false }
    const { rows, isTrial } = processing.length > 0 || hasOthers ? all : chooseRows(running.length, state.costs)
    const answers = running.toSorted((one, other) => one.lastStep - other.lastStep).slice(0, rows)
    // In a step with prompts no row is idle.
    const { proposed, isRetrial } =
      processing.length > 0 || isTrial ? nothingAdded : propose(answers, state, this.#limits)
    const rowsFree = state.maxOutputs - answers.length
    const prompts = withinRows(processing, rowsFree, turn)
    const shares = share(prompts, Math.max(0, this.#limits.batchTokens - answers.length))
    const plan = layOutTokens([
      ...answers.map((slot, index) => toChunk(slot, 1, proposed[index])),
      ...prompts.map(({ slot }, index) => toChunk(slot, shares[index] ?? 0)),
    ])
    return { plan, isRetrial }
  }

  /**
   * Returns whether the addon may begin the next step without asking. `working`: all slots that take part in steps.
   */
  goesOn(plan: StepPlan, working: readonly Slot[], state: Omit<StepState, 'sorted'>): boolean {
    if (this.#limits.hasDraftHead || !canGoOn(plan, working)) return false
    return propose(plan.readers, state, this.#limits).proposed.every(({ length }) => length === 0)
  }
}

/** Returns the tokens of each prompt in a step with room for `room`. */
type Share = (prompts: readonly PromptDemand[], room: number) => readonly number[]

// Rules 1 and 2: kinds of steps and their turns

function workOf(sorted: SortedSlots, isApart: boolean): StepWork {
  const isTogether = ({ answer }: Slot) => !isApart || answer.isGenerating
  const prompts = sorted.tokens.filter((slot) => !isTogether(slot))
  return { ...sorted, tokens: sorted.tokens.filter(isTogether), prompts }
}

/** Returns the next kind of step that there is work for; undefined without work. */
export function nextKind(
  has: (kind: StepKind) => boolean,
  { wasTokens, lastOther }: StepHistory,
): StepKind | undefined {
  const last = otherKinds.indexOf(lastOther)
  const other = [...otherKinds.slice(last + 1), ...otherKinds.slice(0, last + 1)].find(has)
  return has('tokens') && !(wasTokens && other !== undefined) ? 'tokens' : other
}

export function withTurn(history: StepHistory, kind: StepKind): StepHistory {
  const turns = { ...history.turns, [kind]: history.turns[kind] + 1 }
  const lastOther = kind === 'tokens' ? history.lastOther : kind
  return { ...history, turns, wasTokens: kind === 'tokens', lastOther }
}

// Rule 3: answers of a step

/** Minimum measurements before a step is made smaller, because one outlier decides nothing. */
const trusted = 3
/** Factor by which a smaller step must be faster. */
const worthwhile = 1.03
/** Steps after which a group that seemed slower is tried again, even one that gave less than half. */
const retrySteps = 128
const hopelessRetrySteps = 1024

/**
 * Returns the number of answers in the next step, out of `count` waiting ones, at least 1: as many as give the most
 * tokens per second by measured costs. On some processors a single row costs so much less than two to seven together
 * that those go faster one after the other, and a partial group of four costs as much as a full one. Numbers that seem
 * slower are tried again now and then, since machines and contexts change. `isTrial`: the step measures the cost of
 * exactly that many rows, so it must have no others.
 */
export function chooseRows(count: number, costs: StepCosts) {
  const isKnown = costs.measurements(count) >= trusted && costs.estimateMs(count) > 0
  if (count < 2 || !isKnown) return { rows: count, isTrial: false }
  const groups = [count, count - (count % rowGroup), 1].filter((rows) => rows > 0)
  const rate = (rows: number) => rows / costs.estimateMs(rows)
  const best = groups.reduce((chosen, rows) => (rate(rows) > rate(chosen) * worthwhile ? rows : chosen))
  const isStale = (rows: number) =>
    costs.stepsSince(rows) > (rate(rows) < rate(best) / 2 ? hopelessRetrySteps : retrySteps)
  const stale = groups.find(isStale)
  return { rows: stale ?? best, isTrial: stale !== undefined }
}

// Rule 4: proposed tokens

/** Steps without proposals after a step whose proposals did not fit the cache. */
const stepsWithoutRoom = 32
/** Steps after which excessive costs are reconsidered: other programs may have ended. */
const stepsUntilRetrial = 1024
/** Minimum average gain per answer, above the uncertainty of costs. */
const leastGain = 1.1
/** Measurements from which costs are known. */
const enoughMeasurements = 2
/** Assumed cost factor of twice the rows while it is unknown. A trial must be worth that. */
const hopedForTwice = 1.3

interface Added {
  readonly proposed: readonly (readonly number[])[]
  /** True if excessive costs were reconsidered. */
  readonly isRetrial: boolean
}

const nothingAdded: Added = { proposed: [], isRetrial: false }

/** Returns the proposals to compute after the next token of each answer. */
function propose(
  answers: readonly Slot[],
  { isUnified, costs, steps, history }: Omit<StepState, 'sorted'>,
  { drafts }: StepLimits,
): Added {
  if (drafts === undefined || steps < history.proposesFrom) return nothingAdded
  // Beside other answers with separate caches, proposals would take another micro-batch.
  if (answers.length > 1 && !isUnified) return nothingAdded
  const isRetrial = steps - history.retriedAt >= stepsUntilRetrial
  const { mostRows } = drafts
  const proposals = answers.map((slot) => drafts.propose(slot, mostRows - answers.length))
  const counts = chooseDrafts(proposals, {
    ...{ rows: answers.length, mostRows },
    estimateMs: (rows) => costs.estimateMs(rows),
    measurements: (rows) => (isRetrial ? 0 : costs.measurements(rows)),
  })
  return { proposed: proposals.map(({ tokens }, index) => tokens.slice(0, counts[index])), isRetrial }
}

/** Returns the history after a step whose proposals did not fit the cache. */
export function withoutProposals(history: StepHistory, steps: number): StepHistory {
  return { ...history, proposesFrom: steps + stepsWithoutRoom }
}

interface DraftCosts {
  /** Rows of the step without drafts. Each yields a token. */
  readonly rows: number
  /** Most rows of the step. */
  readonly mostRows: number
  /** Returns the cost of a step. 0 means unknown. */
  readonly estimateMs: (rows: number) => number
  /** Returns the number of measured steps with that many rows. */
  readonly measurements: (rows: number) => number
}

/**
 * Returns the number of proposed tokens per answer that makes the answers fastest, by the geometric mean of their
 * speeds. So an answer that copies well slows the others down only a little; with the sum of speeds it could delay them
 * as long as it gains more tokens than they lose. The likeliest tokens of all answers come first.
 */
export function chooseDrafts(proposals: readonly Pick<Proposal, 'chances'>[], costs: DraftCosts): number[] {
  const { rows, mostRows } = costs
  const ranked = proposals
    .flatMap(({ chances }, index) => chances.map((chance) => ({ index, chance })))
    .sort((one, other) => other.chance - one.chance) // stable: within an answer they stay in order
    .slice(0, Math.max(0, mostRows - rows))
  let best = { count: 0, speed: Math.log(leastGain / costs.estimateMs(rows)) }
  const tokens = proposals.map(() => 1)
  let gain = 0
  for (const [place, { index, chance }] of ranked.entries()) {
    const before = tokens[index] ?? 1
    tokens[index] = before + chance
    gain += Math.log((before + chance) / before)
    const speed = gain / rows - Math.log(expectedMs(rows + place + 1, costs))
    if (speed > best.speed) best = { count: place + 1, speed }
  }
  const counts = proposals.map(() => 0)
  for (const { index } of ranked.slice(0, best.count)) counts[index] = (counts[index] ?? 0) + 1
  return counts
}

/**
 * Returns the expected cost. Powers of two are tried until their costs are known. Numbers between them count as the
 * next multiple of four, because on most processors a partial group of four costs as much as a full one.
 */
function expectedMs(wanted: number, { rows, estimateMs, measurements }: DraftCosts): number {
  const doublings = Math.log2(wanted)
  const isTried = Number.isInteger(doublings) && measurements(wanted) < enoughMeasurements
  if (isTried) return estimateMs(rows) * hopedForTwice ** (doublings - Math.log2(rows))
  const isKnown = wanted <= rowGroup || measurements(wanted) > 0
  return estimateMs(isKnown ? wanted : Math.ceil(wanted / rowGroup) * rowGroup)
}

// Rule 5: pace of prompts

/** Time that a prompt may add between two tokens of many answers. */
const stallMs = 200
/** Number of answers that count as much as one waiting prompt. */
const waitingWeight = 4
const longestStallMs = 1500
/**
 * Base of the longest stall if prompts outnumber answers: it is multiplied by the square of prompts per answer, up to
 * `longestFewMs`.
 */
const crowdedStallMs = 550
const longestFewMs = 5000
/** Share by which the allowed time may be exceeded to finish all prompts, and a prompt's part to finish that one. */
const littleMore = 0.5
/** Least size of an efficient piece, for which an account's own answers wait. */
const usefulTokens = 160
/** Factor by which a whole tile may take longer than fewer rows do. */
const hardlyLonger = 1.25
/** Size of the piece that measures the cost of prompts. */
const trialTokens = 64
/** Size below which a piece is mostly overhead on any machine. */
const leastTokens = 32

interface PrefillLoad {
  /** Prompt tokens for which a step has room. */
  readonly room: number
  /** Rows of a piece, see `StepLimits`. */
  readonly pieceTokens?: number | undefined
  /** Account of each answer that is being generated. */
  readonly answers: readonly string[]
  readonly prompts: readonly PromptDemand[]
  /** Rows of a tile, see `StepLimits`. */
  readonly tileRows: number
}

/**
 * Returns the prompt tokens of the next step. Without running answers the step is filled, but beyond one piece only if
 * a prompt that arrives meanwhile does not wait long. A step with few answers wastes most of its cost, and small pieces
 * cost more per token. So waiting prompts are computed fast, within limits on the delay of answers.
 *
 * 1. A prompt may delay many answers by 200 ms per step, and few answers longer, because it waits for its first token
 *    all the while.
 * 2. Each further prompt adds as much, up to 1.5 s, because prompts wait for each other too. If several times as many
 *    prompts wait as answers are generated, the limit rises to 5 s: a few answers are delayed once instead of many
 *    often. Half as much again is allowed if that finishes all prompts.
 * 3. An account's own answers wait for a piece that is worth its overhead, if it takes at most 1.5 s.
 * 4. The prompts of another account count as one, so that many prompts of one account slow down its own answers, not
 *    others'.
 * 5. Attention computes 64 rows or more together in tiles, and fewer one by one: with 3,000 tokens in a conversation 40
 *    rows took 1.67 s and 64 rows 1.25 s. So 64 tokens replace fewer if that takes hardly longer, and an account's own
 *    prompts are finished if fewer than 64 tokens would be left.
 * 6. While the cost of prompts is unknown, as after a change of threads, a small piece measures it.
 */
export function prefillTokens(costs: StepCosts, load: PrefillLoad): number {
  const { room, pieceTokens = room, answers, prompts, tileRows } = load
  if (prompts.length === 0) return 0
  if (answers.length === 0) return Math.min(room, Math.max(pieceTokens, costs.promptRowsWithin(stallMs, room)))
  if (costs.estimateMs(0, 1) === 0) return Math.min(room, trialTokens)
  const { allowedMs, isOwn, isAlone } = holdUp(answers, prompts)
  const wanted = prompts.reduce((sum, { tokens }) => sum + tokens, 0)
  if (wanted <= room && costs.estimateMs(0, wanted) <= allowedMs * (1 + littleMore)) return wanted
  const usefulMs = isOwn ? Math.min(longestStallMs, costs.estimateMs(0, usefulTokens)) : 0
  const within = Math.max(leastTokens, costs.promptRowsWithin(Math.max(allowedMs, usefulMs), room))
  const most = Math.min(wanted, room)
  const tileMs = costs.promptMsByLarger(tileRows)
  // An unmeasured tile is tried, unless another account's answers would wait.
  const isWorthIt = tileMs === undefined ? isOwn : tileMs <= hardlyLonger * costs.estimateMs(0, within)
  const isTile = within < tileRows && tileRows <= most && isWorthIt
  const tokens = isTile ? tileRows : Math.min(within, most)
  return isAlone && wanted <= room && wanted - tokens < tileRows ? wanted : tokens
}

/**
 * Returns the milliseconds by which prompts may delay answers. `isOwn`: every account with an answer has a prompt.
 * `isAlone`: all prompts and answers are of one account.
 */
function holdUp(answers: readonly string[], prompts: readonly PromptDemand[]) {
  const ofAccount = (accountId: string) => prompts.filter((prompt) => prompt.accountId === accountId).length
  const accounts = new Set(prompts.map(({ accountId }) => accountId))
  const counts = [...new Set(answers)].map((accountId) => ({
    own: ofAccount(accountId),
    others: accounts.size - (accounts.has(accountId) ? 1 : 0),
  }))
  const waiting = Math.min(...counts.map(({ own, others }) => own + others))
  const ratio = waiting / answers.length
  const mostMs = Math.min(longestFewMs, Math.max(longestStallMs, crowdedStallMs * ratio ** 2))
  const allowedMs = Math.min(mostMs, stallMs * waiting * Math.max(1, waitingWeight * ratio))
  const isOwn = counts.every(({ own }) => own > 0)
  return { allowedMs, isOwn, isAlone: isOwn && accounts.size === 1 }
}

// Rule 6: shares of accounts

/** Share of the first prompt's remaining tokens below which another prompt of its account passes it. */
const muchShorter = 0.5
/** Unused share of a step above which further prompts of an account get a part. */
const worthUsing = 0.25

export interface PromptDemand {
  readonly accountId: string
  /** Prompt tokens still to be decoded, > 0. */
  readonly tokens: number
}

/**
 * Returns the tokens of each prompt, in the given order, for a step with `tokens` for prompts and room for `limit`.
 * `turn` rotates the accounts that are served first if there are more accounts than tokens.
 *
 * 1. Accounts get equal shares; the unused part of small ones goes to the others. So one account's long prompts delay
 *    another's short ones by at most a factor.
 * 2. Within an account prompts are taken whole, first come first served: splitting the share would delay all of them,
 *    and pieces of different lengths make the decoder run several times. In every other step much shorter prompts
 *    precede the first one, the shortest first: a short chat does not wait for a long document, which still gets half
 *    of the steps.
 * 3. An account's first prompt may get a part, and another one if much of the step would be unused. A prompt that needs
 *    only little more to be finished gets all.
 */
export function shareBudget(
  demands: readonly PromptDemand[],
  { tokens, limit, turn }: Record<'tokens' | 'limit' | 'turn', number>,
): number[] {
  const queues = [...Map.groupBy(demands.entries(), ([, { accountId }]) => accountId).values()].map((queue) =>
    turn % 2 === 1 ? shorterFirst(queue) : queue,
  )
  const wanted = queues.map((queue) => queue.reduce((sum, [, demand]) => sum + demand.tokens, 0))
  const shares = fillEqually(wanted, tokens, turn)
  const result = new Array<number>(demands.length).fill(0)
  let spare = limit - tokens
  for (const [account, queue] of queues.entries()) {
    const first = Math.min(...queue.map(([index]) => index))
    let left = shares[account] ?? 0
    for (const [index, { tokens: need }] of queue) {
      if (need > left) {
        if (left === 0 || (index !== first && left < tokens * worthUsing)) break
        const more = need - left
        const finishes = more <= Math.min(spare, left * littleMore)
        result[index] = finishes ? need : left
        if (finishes) spare -= more
        break
      }
      result[index] = need
      left -= need
    }
  }
  return result
}

type Queue = readonly (readonly [index: number, demand: PromptDemand])[]

function shorterFirst(queue: Queue): Queue {
  const [, first] = queue[0] ?? []
  const isShorter = ([, { tokens }]: Queue[number]) => first !== undefined && tokens <= first.tokens * muchShorter
  const shorter = queue.filter(isShorter).toSorted(([, one], [, other]) => one.tokens - other.tokens)
  return [...shorter, ...queue.filter((entry) => !isShorter(entry))]
}

/** Returns equal shares capped by demand. The remainder of a division goes to the accounts whose turn it is. */
function fillEqually(demands: readonly number[], budget: number, turn: number): number[] {
  const shares = new Array<number>(demands.length).fill(0)
  // Indexes rotated by the turn.
  let open = demands.map((_, index) => (index + turn) % demands.length)
  let left = budget
  while (left > 0 && open.length > 0) {
    const share = Math.floor(left / open.length)
    for (const index of open) {
      const room = (demands[index] ?? 0) - (shares[index] ?? 0)
      const given = Math.min(room, Math.max(share, 1), left)
      shares[index] = (shares[index] ?? 0) + given
      left -= given
    }
    open = open.filter((index) => (shares[index] ?? 0) < (demands[index] ?? 0))
  }
  return shares
}

// Rule 7: pictures

/** Plans the next piece of each picture. */
function planPieces(pictures: readonly PictureSlot[], share: Share, batchTokens: number): StepPlan {
  const demands = pictures.map(({ slot: { accountId, answer }, run }) => ({
    accountId,
    tokens: run.start + run.entries - answer.decoded,
  }))
  return layOutPictures(pictures, share(demands, batchTokens))
}

/** Plans one whole picture, alone: llama.cpp may cut batches of several sequences anywhere. */
function planWhole(alone: PictureSlot): StepPlan {
  return layOutPictures([alone], [alone.run.entries], true)
}

// Rule 8: scored prompts

interface WaitingPrompt extends PromptDemand {
  readonly slot: Slot
}

/**
 * Returns the prompts with the tokens that the next step may take of each, leaving out those with none. Each token of a
 * scored prompt reads one of the `rows` of logits; of another prompt only the last one does, once for each answer.
 */
function withinRows(slots: readonly Slot[], rows: number, turn: number): readonly WaitingPrompt[] {
  const prompts = slots.map((slot): WaitingPrompt => {
    const { runs, decoded, units } = slot.answer
    return { slot, accountId: slot.accountId, tokens: tokensFrom(runs, decoded, units.length) }
  })
  const scored = prompts.filter(({ slot }) => isScored(slot))
  if (scored.length === 0) return prompts
  const read = prompts
    .filter(({ slot }) => !isScored(slot))
    .reduce((sum, { slot }) => sum + 1 + slot.followers.length, 0)
  const most = Math.max(1, rows - read)
  const shares = shareBudget(scored, { tokens: most, limit: most, turn })
  const limited = new Map(scored.map((prompt, index) => [prompt, shares[index] ?? 0]))
  return prompts
    .map((prompt) => ({ ...prompt, tokens: limited.get(prompt) ?? prompt.tokens }))
    .filter(({ tokens }) => tokens > 0)
}

// Rule 10: steps without a plan

/**
 * Returns whether the step behind this one can decode the same answers, whatever is sampled now: none of them can end
 * by its length, a repetition or its grant before its last token.
 */
function canGoOn({ chunks, readers, promptRows }: StepPlan, working: readonly Slot[]): boolean {
  if (promptRows > 0 || readers.length !== chunks.length || working.length !== chunks.length) return false
  return chunks.every(({ slot, drafts }) => drafts === 0 && working.includes(slot) && hasRoom(slot))
}

/** Returns whether there is room for the token of the running step and one after it. */
function hasRoom({ request, answer }: Slot): boolean {
  return !request.isOver && answer.sampleRoom >= 2 && request.tokensLeft(answer) >= 2
}
