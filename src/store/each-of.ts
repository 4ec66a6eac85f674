/**
 * Does work for each item, for up to `atOnce` items at a time, and resolves to the results in the order of the items.
 * After a failure no further item is begun; the first failure is thrown once the running ones have ended.
 */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...items.entries()]
  const failures: unknown[] = []
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && failures.length === 0; next = waiting.shift()) {
      const [index, item] = next
      results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, () => worker().catch((error: unknown) => failures.push(error))))
  if (failures.length > 0) throw failures[0]
  return results
}
