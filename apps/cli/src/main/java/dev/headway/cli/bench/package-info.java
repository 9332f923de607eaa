/**
 * {@code headway bench}: a load against a server, measured.
 *
 * <p>Read {@link dev.headway.cli.bench.BenchCommand}.
 */
@NullMarked
package dev.headway.cli.bench;

import org.jspecify.annotations.NullMarked;
