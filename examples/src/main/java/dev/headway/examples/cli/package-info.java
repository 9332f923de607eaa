/**
 * The program {@code headway}: its subcommands, its errors and its exit codes.
 *
 * <p>Read {@link dev.headway.examples.cli.HeadwayCli}.
 */
@NullMarked
package dev.headway.examples.cli;

import org.jspecify.annotations.NullMarked;
