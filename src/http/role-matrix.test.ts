/** Every operation by every caller, as doors of HTTP answer: recorded in role-matrix.txt. */
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperationName, operations } from '../operations/operations.ts'
import { startTestServer } from '../testing/test-server.ts'
import { routes } from './routes.ts'

let nowMs = 1_800_000_000_000
const server = startTestServer({ clock: () => nowMs })
const { stores } = server
afterAll(() => server[Symbol.asyncDispose]())

const staffOf = (role: 'auditor' | 'treasurer' | 'operator') => {
  const { accountId } = server.payer(1_000)
  stores.accounts.setRole(accountId, role, 'hand')
  return { accountId, begin: () => stores.sessions.begin(accountId, { hasRoleRights: true }) }
}
const memberOf = () => {
  const { accountId } = server.payer(1_000)
  return { accountId, begin: () => stores.sessions.begin(accountId) }
}
const team = stores.accounts.createTeam('Research', 'cli:test')
const [ada, bob, mia, stranger] = [memberOf(), memberOf(), memberOf(), memberOf()] as const
for (const { accountId } of [ada, bob]) stores.teams.join(team, accountId, { role: 'member', source: 'hand' })
stores.teams.join(team, mia.accountId, { role: 'manager', source: 'hand' })
const [auditor, treasurer, operator] = [staffOf('auditor'), staffOf('treasurer'), staffOf('operator')]
const apiKey = server.payer(1_000).key

type Headers = () => Record<string, string>
const session = (who: { begin(): string }): Headers => {
  return () => ({ origin: server.url, cookie: `inferd_session=${who.begin()}` })
}
const callers: Readonly<Record<string, Headers>> = {
  anybody: () => ({ origin: server.url }),
  key: () => ({ origin: server.url, authorization: `Bearer ${apiKey}` }),
  member: session(stranger),
  auditor: session(auditor),
  treasurer: session(treasurer),
  operator: session(operator),
}

const doors = { account: '/dashboard/api/operations/', staff: '/admin/api/operations/' } as const
/** Codes by which a door, and not an operation, refuses a caller */
const closed: readonly unknown[] = ['not_signed_in', 'not_an_operator', 'not_for_role']

async function ask(door: keyof typeof doors, name: string, headers: Headers, input: object = {}) {
  nowMs += 60_000 // past the limits of changes
  const response = await fetch(server.url + doors[door] + name, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any operation
  const json: any = await response.json()
  const code: unknown = json.error?.code
  const isUnknown = response.status === 404 && /^There is no operation/.test(json.error?.message ?? '')
  return { status: response.status, code, isOpen: !isUnknown && !closed.includes(code) }
}

const names = (Object.keys(operations) as OperationName[]).sort()
/** Ends the session that asks, or the server. */
const notAsked: readonly string[] = ['sessions-end']
const columns = Object.keys(callers)
const line = (first: string, cells: readonly string[]) =>
  `${first.padEnd(34)}${cells.map((cell) => cell.padEnd(11)).join('')}`.trimEnd()

/** Returns a row of letters: A, the door of accounts is open to the caller; S, that of staff. */
async function rowOf(name: OperationName): Promise<string> {
  const cells: string[] = []
  for (const headers of Object.values(callers)) {
    const open = [
      (await ask('account', name, headers)).isOpen ? 'A' : '',
      (await ask('staff', name, headers)).isOpen ? 'S' : '',
    ]
    cells.push(open.join('') || '-')
  }
  return line(name, cells)
}

/** Objects of a member of a team, and what each caller gets for them */
const key = (accountId: string, holderId?: string) => stores.keys.create({ accountId, holderId, name: 'x' }).id
const objects: readonly (readonly [text: string, name: OperationName, make: () => object])[] = [
  ['own key: rename', 'keys-rename', () => ({ key: key(ada.accountId), name: 'y' })],
  ['own key: revoke', 'keys-revoke', () => ({ key: key(ada.accountId) })],
  ['own key: limit', 'limits-set', () => ({ subject: key(ada.accountId), parallel: 1 })],
  ['own key: see limits', 'limits-show', () => ({ subject: key(ada.accountId) })],
  ['own account: list keys', 'keys-list', () => ({ account: ada.accountId })],
  ['own account: list requests', 'usage-list', () => ({ account: ada.accountId })],
  ['own account: sum use', 'usage-report', () => ({ account: ada.accountId, by: ['key'] })],
  ['own account: list sessions', 'sessions-list', () => ({ account: ada.accountId })],
  ['own account: export', 'accounts-export', () => ({ account: ada.accountId })],
  ['own account: make a key', 'keys-create', () => ({ account: ada.accountId, name: 'y' })],
  ['team key: rename', 'keys-rename', () => ({ key: key(team, ada.accountId), name: 'y' })],
  ['team key: revoke', 'keys-revoke', () => ({ key: key(team, ada.accountId) })],
  ['team key: limit', 'limits-set', () => ({ subject: key(team, ada.accountId), parallel: 1 })],
  ['team key: see limits', 'limits-show', () => ({ subject: key(team, ada.accountId) })],
  ['team: list keys', 'keys-list', () => ({ account: team })],
  ['team: list requests', 'usage-list', () => ({ account: team })],
  ['team: sum use', 'usage-report', () => ({ account: team, by: ['key'] })],
  ['team: make a key', 'keys-create', () => ({ account: team, name: 'y' })],
  ['team: add a member', 'teams-add', () => ({ team, account: stranger.accountId })],
  ['team: see members', 'teams-show', () => ({ team })],
  ['team: add money', 'ledger-credit', () => ({ account: team, amount: '1' })],
  ['own role: raise', 'accounts-set-role', () => ({ account: ada.accountId, role: 'operator' })],
]
const people = { holder: ada, colleague: bob, manager: mia, stranger, auditor, treasurer, operator }

async function objectRow(text: string, name: OperationName, make: () => object): Promise<string> {
  const cells: string[] = []
  for (const [who, person] of Object.entries(people)) {
    const isOfStaff = who === 'auditor' || who === 'treasurer' || who === 'operator'
    const before = stores.accounts.roleOf(ada.accountId)
    const { status } = await ask(isOfStaff ? 'staff' : 'account', name, session(person), make())
    cells.push(status === 200 ? 'yes' : '-')
    // What an operator may do is undone for the next caller.
    if (stores.accounts.roleOf(ada.accountId) !== before) stores.accounts.setRole(ada.accountId, before, 'hand')
    if (name === 'teams-add') stores.teams.leave(team, stranger.accountId, 'hand')
  }
  return line(text, cells)
}

/** Returns a row of a route of staff that is no operation. */
async function routeRow(method: string, path: string): Promise<string> {
  const cells: string[] = []
  for (const headers of Object.values(callers)) {
    const response = await fetch(server.url + path.replace('*', 'x'), { method, headers: headers() })
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any error
    const json: any = response.ok ? await response.body?.cancel() : await response.json()
    cells.push(closed.includes(json?.error?.code) ? '-' : 'S')
  }
  return line(`${method} ${path}`, cells)
}

test('every operation and route of staff is open to the callers in role-matrix.txt, and to no others', async () => {
  const rows: string[] = []
  for (const name of names) if (!notAsked.includes(name)) rows.push(await rowOf(name))
  for (const { access, method, path } of routes) {
    if (access === 'staff' && !path.startsWith(doors.staff)) rows.push(await routeRow(method, path))
  }
  const ofObjects: string[] = []
  for (const [text, name, make] of objects) ofObjects.push(await objectRow(text, name, make))
  const text = [
    'A: through the pages of accounts, with their own objects alone. S: through the pages of staff. -: refused.',
    '',
    ...[line('operation or route', columns), ...rows, ''],
    ...[line('object of the holder', Object.keys(people)), ...ofObjects, ''],
  ].join('\n')
  expect(text).toBe(readFileSync(join(import.meta.dir, 'role-matrix.txt'), 'utf8'))
}, 60_000)

test('an auditor leaves no row in the audit log but those of sign-ins, and a treasurer none but of money', () => {
  const actions = (actor: string) => [
    ...new Set(stores.audit.list({ limit: 100_000 }).flatMap((row) => (row.actor === actor ? [row.action] : []))),
  ]
  expect(actions(`auditor:${auditor.accountId}`)).toEqual([])
  const money = ['credit', 'limits.set', 'voucher.create', 'voucher.revoke']
  expect(actions(`treasurer:${treasurer.accountId}`).filter((action) => !money.includes(action))).toEqual([])
})
