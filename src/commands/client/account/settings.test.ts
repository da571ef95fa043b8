import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../test/support/processes.ts';
import { CommandFailure } from '../failure.ts';
import { writeProfiles } from './profiles.ts';
import { type Settings, settingsOf } from './settings.ts';

test('the key of a client command may be in a file, which wins over the variable and must hold one', () => {
  using folder = temporaryFolder();
  const [file, empty, missing] = ['key', 'empty', 'missing'].map((name) => join(folder.path, name)) as [string, string, string];
  writeFileSync(file, 'a.b.c\n');
  writeFileSync(empty, '\n');
  const env = { XDG_CONFIG_HOME: folder.path, SLUICE_URL: 'https://api.example.com', SLUICE_KEY: 'other' };
  const settings = settingsOf({ ...env, SLUICE_KEY_FILE: file }, {});
  assert.deepEqual([settings.key, settings.keyFrom, settings.profile], ['a.b.c', 'SLUICE_KEY_FILE', null]);
  assert.deepEqual([settingsOf(env, {}).key, settingsOf(env, {}).keyFrom], ['other', 'SLUICE_KEY']);
  for (const [path, problem] of [
    [empty, 'SLUICE_KEY_FILE: the file is empty'],
    [missing, 'SLUICE_KEY_FILE: the file cannot be read'],
  ])
    assert.throws(
      () => settingsOf({ ...env, SLUICE_KEY_FILE: path }, {}),
      (error) => error instanceof CommandFailure && error.exitCode === 2 && error.message === problem,
    );
});

test('an address without http or https is refused before anything is sent, wherever it comes from', () => {
  using folder = temporaryFolder();
  const env = { XDG_CONFIG_HOME: folder.path, SLUICE_KEY: 'a.b.c' };
  for (const url of ['localhost:18105', 'ftp://sluice.example.com', 'sluice'])
    for (const settings of [() => settingsOf({ ...env, SLUICE_URL: url }, {}), () => settingsOf(env, { url })])
      assert.throws(
        settings,
        (error) => error instanceof CommandFailure && error.exitCode === 2 && /expected one such as http:/.test(error.message),
        url,
      );
});

test('the environment wins over a profile, except over one that --profile names', () => {
  using folder = temporaryFolder();
  const env = { XDG_CONFIG_HOME: folder.path, SLUICE_URL: 'https://other.example.com', SLUICE_KEY: 'a.b.c' };
  const profile = { url: 'https://desk.example.com', key: 'd.e.f', role: 'investor', organization: 'Desk' };
  writeProfiles(env, { desk: profile, default: profile });
  const chosen = ({ url, key, profile: name }: Settings) => [url, key, name];
  const ofEnvironment = ['https://other.example.com', 'a.b.c', null];
  assert.deepEqual(chosen(settingsOf(env, {})), ofEnvironment);
  assert.deepEqual(chosen(settingsOf({ ...env, SLUICE_PROFILE: 'desk' }, {})), ofEnvironment);
  assert.deepEqual(chosen(settingsOf(env, { profile: 'desk' })), [profile.url, profile.key, 'desk']);
  assert.throws(() => settingsOf(env, { profile: 'desk', url: 'https://other.example.com' }), /is for https:\/\/desk\./);
});
