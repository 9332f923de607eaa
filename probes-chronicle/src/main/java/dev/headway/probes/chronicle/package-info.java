/**
 * The journal: every event of a scheduler in a memory-mapped file, and its reader.
 *
 * <pre>{@code
 * Probe events ─▶ JournalProbe ─▶ run-000001/20260101F.cq4 ─▶ JournalReader ─▶ RecordVisitor
 *                                                               (JournalSource, for converters)
 *                    │                  ▲           ▲
 *                    └── signals ─▶ space thread   flush thread
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.chronicle.JournalProbe}, then {@link
 * dev.headway.probes.chronicle.JournalReader}, then the {@linkplain dev.headway.events.record
 * record layouts}.
 *
 * <p>A journal directory holds one directory per run, {@code run-000001}, {@code run-000002}, …,
 * each with a Chronicle queue of one {@code .cq4} file that does not roll and the queue's {@code
 * metadata.cq4t}. A run's file takes up to 4,294,967,295 records. Any Chronicle tool can read it;
 * each excerpt is one record.
 *
 * <p>Guarantees, each with a test:
 *
 * <ul>
 *   <li>A record that a reader returns is the record that was written: length, sequence and CRC-32C
 *       of each are checked, which Chronicle does not do.
 *   <li>The death of the process loses no event whose probe method had returned.
 *   <li>A full disk stops the journal, not the engine; what was written before is read back whole.
 *   <li>Events that got no record are counted, and the count is in the journal.
 *   <li>No address is looked up, connected to or listened on, no process is started, and nothing is
 *       written outside the journal directory.
 *   <li>Once warm, nothing is allocated per event.
 * </ul>
 *
 * <p>The writer needs two JVM flags, for Chronicle Queue: {@code
 * --add-opens=java.base/java.lang.reflect=ALL-UNNAMED} and {@code
 * --add-exports=java.base/sun.nio.ch=ALL-UNNAMED}. The reader needs none.
 */
@NullMarked
package dev.headway.probes.chronicle;

import org.jspecify.annotations.NullMarked;
