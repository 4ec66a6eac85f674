import type { AccountAnswers, AccountOperation } from '../../src/operations/account-answers.ts'
import type { OperationInput } from '../../src/operations/operations.ts'
import type { Inferd } from './inferd.ts'

export interface TestAccount {
  readonly email: string
  readonly password: string
  /** First API key of the account */
  readonly key: string
  /** Secret of a session of the account */
  readonly session: string
}

let count = 0

/** Creates an account with a password and a session. `balanceUsd` is decimal text. */
export async function makeAccount(inferd: Inferd, { balanceUsd = '0' } = {}): Promise<TestAccount> {
  count += 1
  const email = `ada-${count}@example.org`
  const password = 'correct horse battery'
  const { api_key: key } = (await (await post(inferd, '/v1/signup', { email, password })).json()) as { api_key: string }
  if (balanceUsd !== '0') await inferd.run('credit', email, balanceUsd)
  return { email, password, key, session: await signIn(inferd, email, password) }
}

/**
 * Signs in the operator, or another one of the staff, by the setup link that the command line prints, and sets the
 * password. Returns the session.
 */
export async function signInOperator(inferd: Inferd, email?: string): Promise<Pick<TestAccount, 'session'>> {
  const account = email === undefined ? [] : ['--account', email]
  const { link } = JSON.parse(await inferd.run('admin', 'link', '--json', ...account)) as { link: string }
  const token = new URL(link).hash.slice(1)
  const body = { token, name: 'Operator', password: 'correct horse battery' }
  return { session: sessionOf(await post(inferd, '/admin/api/setup', body)) }
}

/** Begins a session and returns its secret. */
export async function signIn(inferd: Inferd, email: string, password: string): Promise<string> {
  return sessionOf(await post(inferd, '/dashboard/api/sign-in', { email, password }))
}

/** Performs an operation on an account as its pages do. Returns the result. */
export async function performed<Name extends AccountOperation>(
  inferd: Inferd,
  { session }: Pick<TestAccount, 'session'>,
  name: Name,
  input: OperationInput<Name>,
): Promise<AccountAnswers[Name]> {
  const cookie = `inferd_session=${session}`
  const response = await post(inferd, `/dashboard/api/operations/${name}`, input as object, { cookie })
  const { result } = (await response.json()) as { result: AccountAnswers[Name] }
  return result
}

function sessionOf({ headers }: Response): string {
  const [, secret] = /^inferd_session=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? []
  if (secret === undefined) throw new Error('the answer begins no session')
  return secret
}

export async function post({ url }: Inferd, path: string, body: object, headers = {}): Promise<Response> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  return response
}
