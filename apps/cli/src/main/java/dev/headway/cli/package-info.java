/**
 * The program {@code headway}: its subcommands, its errors and its exit codes.
 *
 * <p>Read {@link dev.headway.cli.HeadwayCli}.
 */
@NullMarked
package dev.headway.cli;

import org.jspecify.annotations.NullMarked;
