/**
 * The commands that read a journal: {@code convert}, {@code report}, {@code explain}, {@code
 * trace}, {@code profile}, {@code analyze}, {@code check-timing}, {@code training}, {@code fpm},
 * {@code otlp} and {@code metrics}.
 *
 * <p>One class per command; each checks its options, reads the journal once, and leaves a whole
 * output or none. Read {@link dev.headway.cli.journal.JournalCommand}, then a command.
 */
@NullMarked
package dev.headway.cli.journal;

import org.jspecify.annotations.NullMarked;
