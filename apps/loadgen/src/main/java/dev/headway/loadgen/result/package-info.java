/** Result files and printed tables, in the shapes of vLLM, SGLang and our own. */
@NullMarked
package dev.headway.loadgen.result;

import org.jspecify.annotations.NullMarked;
