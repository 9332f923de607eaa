/**
 * What every command shares: messages and failures, exit codes, progress, and the options that
 * several of them have.
 *
 * <p>Read {@link dev.headway.cli.command.CommandMessages}.
 */
@NullMarked
package dev.headway.cli.command;

import org.jspecify.annotations.NullMarked;
