/** Journals as loads: what was recorded is sent again. */
@NullMarked
package dev.headway.cli.load;

import org.jspecify.annotations.NullMarked;
