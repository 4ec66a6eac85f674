/** Surroundings of an operator's operations: a running server's parts over a data folder of its own, without a listener. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MailDelivery } from '../accounts/deliver-mails.ts'
import { hashPassword } from '../accounts/passwords.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { openCatalog } from '../catalog/open-catalog.ts'
import { loadConfig } from '../config/config.ts'
import { usualReach, withOwnCommands } from '../core/own-commands.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { endpointControl } from '../inference/endpoint-control.ts'
import { modelControl } from '../inference/model-control.ts'
import { smtpSender } from '../mail/smtp.ts'
import type { OperationServices } from '../operations/operation.ts'
import { type OperationInput, type OperationNameFor, type OperationResult, perform } from '../operations/operations.ts'
import type { RunningServer } from '../operations/running-server.ts'
import { runningServer } from '../server/running-server.ts'
import { openWebhooks } from '../server/webhooks.ts'
import { createLog } from '../telemetry/log.ts'
import { LogTail } from '../telemetry/log-tail.ts'
import { plentyOfMemory, testPool } from './engine-pool.ts'
import { openTestAccounts } from './test-accounts.ts'
import { testUpstreamHost } from './upstream/upstream-host.ts'

export interface OperatorBox extends AsyncDisposable {
  readonly dataDir: string
  readonly catalog: Catalog
  readonly services: OperationServices
  readonly server: RunningServer
  /** Performs an operation like a page. */
  perform<Name extends OperationNameFor<'operator'>>(
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>>
}

export function openOperatorBox(
  environment: Readonly<Record<string, string>> = {},
  flags: Readonly<Record<string, string>> = {},
  /** Content of the settings file. Undefined without one. */
  text?: string,
): OperatorBox {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-box-'))
  const sources = { flags: { data: dataDir, ...flags }, environment }
  if (text !== undefined) writeFileSync(join(dataDir, 'config.toml'), text)
  const config = loadConfig(sources)
  const books = openTestAccounts(join(dataDir, 'inferd.db'), Date.now)
  const { stores } = books
  const tail = new LogTail()
  const log = createLog({ level: config.logLevel, format: 'json', write: () => undefined, tail })
  const catalog = openCatalog(dataDir, { overrides: { prices: config.prices, settings: config.models } })
  const pool = testPool()
  const mails = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    send: config.mail === undefined ? undefined : smtpSender(config.mail),
    baseUrl: () => 'http://localhost',
    onFailure: () => undefined,
    clock: Date.now,
  })
  const closing = new AsyncDisposableStack()
  closing.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  closing.defer(() => books[Symbol.dispose]())
  closing.defer(() => pool.stop())
  closing.defer(() => mails.stop())
  const runtime = () => runtimePaths(dataDir)
  const complete = (text: string) => withOwnCommands(text, usualReach)
  const endpoints = endpointControl(catalog, testUpstreamHost().endpoints, complete)
  const backends = { report: () => [], problems: () => [], tried: async () => [], probe: async () => [] }
  const models = modelControl(catalog, pool)
  const webhooks = openWebhooks({ config, stores, log }, closing)
  const parts = {
    ...{
      runtime,
      endpoints,
      backends,
      config,
      environment,
      sources,
      log,
      tail,
      stores,
      mails,
      webhooks,
      shipping: { shippers: [] },
      certificate: () => undefined,
      catalog,
      pool,
      complete,
    },
    ...{ restart: () => undefined },
    ...{ poolSettings: {}, cronReach: usualReach, readMemory: async () => plentyOfMemory },
  }
  const server = runningServer(parts, closing)
  const services = { ...books.services, mails, server, endpoints, backends, models }
  return {
    dataDir,
    catalog,
    services,
    server,
    perform: async (name, input) => {
      const caller = { kind: 'operator', actor: 'operator:acc_1', baseUrl: 'http://localhost' } as const
      return (await perform(services, caller, { name, input })) as OperationResult<typeof name> // of this operation
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Returns the operator of the box as signed in on a page, with the password `right password`. */
export async function signedInOperator({ services: { stores } }: OperatorBox) {
  const { id } = stores.accounts.ensureOperator()
  stores.accounts.setPasswordHash(id, await hashPassword('right password'))
  const session = stores.sessions.begin(id, { hasRoleRights: true })
  const actor = `operator:${id}`
  return {
    ...({ kind: 'operator', role: 'operator', actor } as const),
    ...{ accountId: id, session, baseUrl: 'http://localhost' },
  }
}
