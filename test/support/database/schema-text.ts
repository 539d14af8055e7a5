// The schema of a database as one text, read from the catalog alone and in an order that does not depend on creation
// time. sql/schema.sql contains this text. It omits rows and grants to logins.

import type { Sql } from "../../../src/adapters/postgres/connection.ts";

const queries: readonly string[] = [
  // Tables with their columns, storage other than the default, and options.
  `select format(E'table %s%s\\n%s', c.relname,
                 coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''),
                 string_agg(format('  %s %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                   case when a.attnotnull then ' not null' else '' end,
                   coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''),
                   case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text else '' end),
                   E'\\n' order by a.attnum)) as line
   from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   join pg_type t on t.oid = a.atttypid
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
   group by c.relname, c.reloptions order by c.relname`,
  `select format('sequence %s %s', sequencename, data_type) as line
   from pg_sequences where schemaname = 'public' order by sequencename`,
  `select format('constraint %s on %s %s', conname, conrelid::regclass, pg_get_constraintdef(oid)) as line
   from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
   order by conrelid::regclass::text, conname`,
  `select indexdef as line from pg_indexes where schemaname = 'public' order by indexname`,
  `select pg_get_triggerdef(t.oid) as line from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by t.tgname`,
  `select pg_get_functiondef(oid) as line from pg_proc
   where pronamespace = 'public'::regnamespace order by proname`,
  `select format('grant %s on %s to rialto_venue',
                 string_agg(lower(privilege_type), ', ' order by privilege_type), table_name) as line
   from information_schema.role_table_grants
   where table_schema = 'public' and grantee = 'rialto_venue'
   group by table_name order by table_name`,
];

/** Returns the schema `public` of the connected database. */
export async function schemaText(sql: Sql): Promise<string> {
  const sections: string[] = [];
  for (const query of queries) {
    const rows = await sql.unsafe<{ line: string }[]>(query);
    if (rows.length > 0) sections.push(rows.map((row) => row.line.trimEnd()).join("\n"));
  }
  return `${sections.join("\n\n")}\n`;
}
