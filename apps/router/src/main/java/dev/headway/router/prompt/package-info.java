/** Prompts as the tokens that workers make of them. */
@NullMarked
package dev.headway.router.prompt;

import org.jspecify.annotations.NullMarked;
