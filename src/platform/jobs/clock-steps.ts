import { type Clock, type PgBoss, systemClock } from 'pg-boss';

/** A clock that never steps: when that of the machine is set back by an hour, the queue would rest for that hour. */
export const STEADY_CLOCK: Clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

/**
 * What a clock of the database that is set back leaves in the future: when schedules and killed workers were looked after last, the
 * heartbeats of workers, when jobs may start, and the minutes that scheduled jobs have taken. Until the clock came there again no
 * scheduled job would run, no job of a killed worker would be taken over, and what was queued would wait. A retry waits for five minutes
 * at most.
 */
const LEFT_IN_THE_FUTURE = [
  `update pgboss.version set cron_on = least(cron_on, now()), bam_on = least(bam_on, now()), flow_on = least(flow_on, now()),
     reindex_on = least(reindex_on, now())
   where greatest(cron_on, bam_on, flow_on, reindex_on) > now() + interval '1 second'`,
  `with due as (
     select name from pgboss.queue where greatest(monitor_claim_on, monitor_on, maintain_on) > now() + interval '1 second'
     order by name for update skip locked)
   update pgboss.queue q set monitor_claim_on = least(monitor_claim_on, now()), monitor_on = least(monitor_on, now()),
     maintain_on = least(maintain_on, now())
   from due where q.name = due.name`,
  `update pgboss.job set heartbeat_on = now() where state = 'active' and heartbeat_on > now() + interval '1 second'`,
  `update pgboss.job set start_after = now()
   where name in (select name from pgboss.queue) and state < 'active'
     and start_after > now() + case state when 'created' then interval '1 second' else interval '10 minutes' end`,
  `update pgboss.job set singleton_on = null
   where name in (select name from pgboss.queue) and state <> 'cancelled' and singleton_on > now() at time zone 'UTC' + interval '1 minute'`,
];

const IS_SET_BACK = `select 1 from pgboss.version where greatest(cron_on, bam_on, flow_on, reindex_on) > now() + interval '1 second'`;

/**
 * Brings it back to the present, after `onSetBack` has done so with what else waits for a time. While the clock only goes on there is nothing
 * to bring back.
 */
export async function followClock(boss: PgBoss, onSetBack: () => Promise<void> = async () => {}): Promise<void> {
  const database = boss.getDb();
  const { rows } = await database.executeSql(IS_SET_BACK);
  if (rows.length > 0) await onSetBack();
  for (const sql of LEFT_IN_THE_FUTURE) await database.executeSql(sql);
}
