// plainjob as a contender: it has no key, no lane and no fence. It sets NORMAL itself; here it is asked for as much as
// the others. Its workers share one thread, as they do wherever it is used in one process.
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { better, defineQueue, defineWorker } from 'plainjob';

const asked = (word) => process.argv[process.argv.indexOf(`--${word}`) + 1];
const entries = Number(asked('entries'));
const silent = { debug() {}, info() {}, warn() {}, error: console.error };

const database = new Database(join(asked('folder'), 'plainjob.db'));
const queue = defineQueue({ connection: better(database), logger: silent, serializer: (text) => text });
database.pragma(`synchronous = ${asked('synchronous')}`);

const payload = 'x'.repeat(1024);
let began = performance.now();
for (let number = 0; number < entries; number++) queue.add('entry', payload);
const enqueue = performance.now() - began;

let left = entries;
began = performance.now();
await new Promise((done) => {
  const onCompleted = () => --left === 0 && done();
  for (let worker = 0; worker < Number(asked('workers')); worker++) {
    defineWorker('entry', async () => {}, { queue, logger: silent, onCompleted }).start();
  }
});
const deliver = performance.now() - began;

console.log(`enqueue ${enqueue / 1000}\ndeliver ${deliver / 1000}`);
process.exit(0);
