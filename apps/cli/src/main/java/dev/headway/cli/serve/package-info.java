/**
 * {@code headway serve}: the options of a server, and the server that they describe.
 *
 * <p>Read {@link dev.headway.cli.serve.ServeCommand}. The protocol is in {@link
 * dev.headway.server}.
 */
@NullMarked
package dev.headway.cli.serve;

import org.jspecify.annotations.NullMarked;
