/** The contract of grammars, for those who make some. */
@NullMarked
package dev.headway.testkit.request;

import org.jspecify.annotations.NullMarked;
