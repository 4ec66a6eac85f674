/** Operations on prices in the settings file. Changes count at once; a request keeps the prices that it began with. */
import { Type } from '@sinclair/typebox'
import type { JsonObject } from '../core/json.ts'
import { nanoToDecimal } from '../core/money.ts'
import { bookReaders } from '../core/roles.ts'
import { fileVersion, lineOf, plainText } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'
import type { PriceRow, RunningServer } from './running-server.ts'

const modelId = lineOf('is the id of a model', 200)
const price = Type.Optional(plainText(40))
const priceTexts = { input: price, cached_input: price, output: price, price }

/** Lists each model's prices: its own, in force, and at the next start, with the cost of a thousand typical requests. */
export const listPrices = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const server = runningServer(context)
    return { version: server.settingsFile.version(), models: server.prices.list() }
  },
})

/** Returns what a thousand typical requests would cost at other prices, or why these are refused. Changes nothing. */
export const tryPrices = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ model: modelId, ...priceTexts }),
  run: (context, { model, ...texts }) => runningServer(context).prices.tryOut(model, texts),
})

/** Writes a model's prices in USD to the settings file. A field that is left out has the model's own price. */
export const setPrices = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    model: modelId,
    ...priceTexts,
    version: fileVersion,
  }),
  prepare: async (context, { model, version, ...texts }) => {
    const server = runningServer(context)
    const before = rowOf(server, model)
    const old = server.settingsFile.version()
    const written = await server.settingsFile.setPrices(model, texts, version)
    return { version: written, isWritten: written !== old, before, after: rowOf(server, model) }
  },
  run: ({ stores, caller: { actor } }, { model }, prepared) => {
    const { version, isWritten, before, after } = ofServer(prepared)
    if (!isWritten) return { version, ...after }
    stores.audit.append({
      actor,
      action: 'prices.set',
      details: { model, before: shownPrices(before), after: shownPrices(after) },
    })
    return { version, ...after }
  },
})

function rowOf(server: RunningServer, name: string) {
  const row = server.prices.list().find(({ model }) => model === name)
  if (row === undefined) throw new OperationError({ code: 'not_found', what: 'model', name })
  return row
}

/** Returns the prices of the next start for the audit log, as decimal text. */
function shownPrices({ next }: PriceRow): JsonObject {
  const { thousandNanoUsd: _, ...prices } = next ?? { thousandNanoUsd: 0 }
  return Object.fromEntries(
    Object.entries(prices).flatMap(([name, nanoUsd]) =>
      nanoUsd === undefined ? [] : [[name.replace('NanoUsd', 'Usd'), nanoToDecimal(nanoUsd)]],
    ),
  )
}
