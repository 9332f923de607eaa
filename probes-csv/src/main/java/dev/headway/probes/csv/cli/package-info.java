/** The command line: {@code headway convert}. */
@NullMarked
package dev.headway.probes.csv.cli;

import org.jspecify.annotations.NullMarked;
