import type { RoleSource } from '../core/roles.ts'
import { Store } from '../db/rows.ts'

/** `manager`: sees use by holder, and the team's keys with their limits. */
export const teamRoles = ['member', 'manager'] as const
export type TeamRole = (typeof teamRoles)[number]

interface Membership {
  readonly role: TeamRole
  readonly source: RoleSource
}

export interface TeamMember extends Membership {
  readonly accountId: string
  readonly email: string | undefined
  readonly name: string
  readonly joinedMs: number
}

export interface OwnTeam extends Membership {
  readonly id: string
  readonly name: string
  /** Undefined if its use is not charged. */
  readonly balanceNanoUsd: number | undefined
}

/** Teams' members. A team is an account, which `AccountStore.createTeam` makes. Writes belong in a transaction. */
export class Teams extends Store {
  /**
   * Makes a person a member of a team, or changes the role there. Returns false, without a change, if nothing differs, or
   * if groups may not change what was given by hand. Throws if the ids are not of a team and a person.
   */
  join(teamId: string, accountId: string, { role, source }: Membership): boolean {
    const former = this.membership(teamId, accountId)
    if (former !== undefined && source === 'groups' && former.source === 'hand') return false
    if (former?.role === role && former.source === source) return false
    this.write(
      `INSERT INTO memberships (team_id, account_id, role, source, created)
       VALUES (:teamId, :accountId, :role, :source, :now)
       ON CONFLICT DO UPDATE SET role = excluded.role, source = excluded.source`,
      { teamId, accountId, role, source, now: this.clock() },
    )
    return true
  }

  /**
   * Ends a membership and revokes the keys of the team that the person holds. Returns how many keys ended; undefined,
   * without a change, if there is no membership, or if it was given by hand and `source` is `groups`.
   */
  leave(teamId: string, accountId: string, source: RoleSource): number | undefined {
    const former = this.membership(teamId, accountId)
    if (former === undefined || (source === 'groups' && former.source === 'hand')) return undefined
    this.write('DELETE FROM memberships WHERE team_id = :teamId AND account_id = :accountId', { teamId, accountId })
    return this.write(
      `UPDATE api_keys SET revoked = :now
       WHERE account_id = :teamId AND holder_id = :accountId AND revoked IS NULL`,
      { teamId, accountId, now: this.clock() },
    )
  }

  /** Returns the membership of a person in a team; undefined without one. */
  membership(teamId: string, accountId: string): Membership | undefined {
    const sql = 'SELECT role, source FROM memberships WHERE team_id = :teamId AND account_id = :accountId'
    return this.first<Membership>(sql, { teamId, accountId })
  }

  /** Lists the members of a team by address, managers first. */
  membersOf(teamId: string): TeamMember[] {
    const sql = `SELECT account_id AS accountId, email, name, memberships.role, source, memberships.created AS joinedMs
      FROM memberships JOIN accounts ON accounts.id = account_id
      WHERE team_id = :teamId ORDER BY memberships.role = 'member', email, name`
    return this.all<TeamMember & { email: string | null }>(sql, { teamId }).map((row) => ({
      ...row,
      email: row.email ?? undefined,
    }))
  }

  /** Lists the teams of a person by name, without disabled ones. */
  teamsOf(accountId: string): OwnTeam[] {
    const sql = `SELECT accounts.id, accounts.name, memberships.role, source,
        iif(is_unmetered, NULL, balance) AS balanceNanoUsd
      FROM memberships JOIN accounts ON accounts.id = team_id
      WHERE account_id = :accountId AND disabled IS NULL ORDER BY name, accounts.id`
    return this.all<OwnTeam & { balanceNanoUsd: number | null }>(sql, { accountId }).map((row) => ({
      ...row,
      balanceNanoUsd: row.balanceNanoUsd ?? undefined,
    }))
  }

  /** Returns the id of the team with this id or name, the oldest of several; undefined if there is none. */
  find(idOrName: string): string | undefined {
    const sql = `SELECT id FROM accounts WHERE kind = 'team' AND (id = :idOrName OR name = :idOrName) ORDER BY created LIMIT 1`
    return this.first<{ id: string }>(sql, { idOrName })?.id
  }

  hasMembers(teamId: string): boolean {
    return this.first('SELECT 1 FROM memberships WHERE team_id = :teamId LIMIT 1', { teamId }) !== undefined
  }
}
