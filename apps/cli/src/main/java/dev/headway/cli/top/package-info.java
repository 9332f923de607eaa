/** {@code headway top}: the dashboard of a running server in a terminal. */
@NullMarked
package dev.headway.cli.top;

import org.jspecify.annotations.NullMarked;
