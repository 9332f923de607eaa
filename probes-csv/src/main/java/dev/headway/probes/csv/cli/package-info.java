/** The command line: {@code headway convert} and {@code headway explain}. */
@NullMarked
package dev.headway.probes.csv.cli;

import org.jspecify.annotations.NullMarked;
