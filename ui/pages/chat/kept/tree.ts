/**
 * Conversation as a tree. Each exchange follows another one or begins the conversation. Exchanges after the same one are
 * versions: another question, or the same question with another answer.
 */

/** Place of an exchange in the tree. */
export interface Branch {
  readonly id: number
  /** Exchange before this one. 0 at the beginning of the conversation. */
  readonly parent: number
  /** Same number for all exchanges that answer one question. */
  readonly questionId: number
  readonly askedAtMs: number
  /** True once the person deleted it. Its place is kept, because other tabs may add exchanges after it. */
  readonly isRemoved?: boolean
}

/** Choice between versions, shown as "2 of 3". */
export interface Versions {
  /** One exchange of each version, the oldest version first. */
  readonly ids: readonly number[]
  /** Index of the shown version in `ids`. */
  readonly index: number
}

/** Returns the exchanges from the beginning to `leaf`. Without such an exchange, follows the newest one. */
export function pathTo<Item extends Branch>(items: readonly Item[], leaf: number): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const path: Item[] = []
  let next = byId.get(leaf) ?? newestOf(items)
  // A damaged file could contain a circle.
  while (next !== undefined && !path.includes(next)) {
    path.push(next)
    next = byId.get(next.parent)
  }
  return path.reverse()
}

/** Returns the different questions asked at the place of an exchange, each by its newest exchange. */
export function questionVersions(items: readonly Branch[], shown: Branch): Versions {
  const byQuestion = new Map<number, Branch>()
  for (const item of siblingsOf(items, shown)) byQuestion.set(item.questionId, item)
  const questions = [...byQuestion.keys()]
  return { ids: [...byQuestion.values()].map(({ id }) => id), index: questions.indexOf(shown.questionId) }
}

/** Returns the different answers to the question of an exchange. */
export function answerVersions(items: readonly Branch[], shown: Branch): Versions {
  const ids = siblingsOf(items, shown).flatMap(({ id, questionId }) => (questionId === shown.questionId ? [id] : []))
  return { ids, index: ids.indexOf(shown.id) }
}

/** Returns the newest exchange that follows the given one without another after it, or the given one itself. */
export function newestLeaf(items: readonly Branch[], id: number): number {
  const children = new Map<number, Branch[]>()
  for (const item of items) children.set(item.parent, [...(children.get(item.parent) ?? []), item])
  const seen = new Set<number>()
  let leaf = id
  for (let next = newestOf(children.get(leaf) ?? []); next !== undefined; next = newestOf(children.get(leaf) ?? [])) {
    if (seen.has(next.id)) break
    seen.add(next.id)
    leaf = next.id
  }
  return leaf
}

/** Leaves out removed exchanges. The ones after such an exchange follow the one before it. */
export function withoutRemoved<Item extends Branch>(items: readonly Item[]): Item[] {
  const parents = new Map(items.flatMap(({ id, parent, isRemoved }) => (isRemoved ? [[id, parent] as const] : [])))
  if (parents.size === 0) return [...items]
  return items.flatMap((item) => {
    if (item.isRemoved) return []
    let parent = item.parent
    for (let steps = 0; steps <= parents.size; steps += 1) parent = parents.get(parent) ?? parent
    return [parent === item.parent ? item : { ...item, parent }]
  })
}

function siblingsOf(items: readonly Branch[], { parent }: Branch): Branch[] {
  return items.filter((item) => item.parent === parent).sort(byTime)
}

function newestOf<Item extends Branch>(items: readonly Item[]): Item | undefined {
  return items.reduce<Item | undefined>(
    (newest, item) => (newest === undefined || byTime(newest, item) < 0 ? item : newest),
    undefined,
  )
}

function byTime(one: Branch, other: Branch): number {
  return one.askedAtMs - other.askedAtMs || one.id - other.id
}
