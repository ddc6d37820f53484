package explore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// A tab is one page of a headless browser, driven through the browser's debugging pipe: JSON
// in both directions, ended by a zero byte.
type tab struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string
	calls   int
}

// opened opens the page of a server in a browser of its own.
func opened(t *testing.T, hash string) *tab {
	t.Helper()
	path := browser(t)
	if runtime.GOOS == "windows" {
		t.Skip("no pipes but the standard three are handed to a process here")
	}
	_, s := served(t)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	hears, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, tells, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "knng-browser-")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+folder)
	c.ExtraFiles, c.WaitDelay = []*os.File{hears, tells}, 10*time.Second // its file descriptors 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	hears.Close()
	tells.Close()
	p := &tab{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		io.WriteString(to, `{"id":0,"method":"Browser.close"}`+"\x00")
		kill := time.AfterFunc(10*time.Second, func() { c.Process.Kill() })
		c.Wait()
		kill.Stop()
		to.Close()
		from.Close()
		os.RemoveAll(folder)
	})
	from.SetReadDeadline(time.Now().Add(time.Minute))
	var target struct{ TargetID, SessionID string }
	p.call("Target.createTarget", map[string]any{"url": server.URL + "/" + hash}, &target)
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	p.session = target.SessionID
	p.holds(`document.querySelector(".ready") !== null`)
	return p
}

// call calls a method of the browser and waits for its answer.
func (p *tab) call(method string, params map[string]any, answer any) {
	p.t.Helper()
	p.calls++
	text, err := json.Marshal(map[string]any{"id": p.calls, "method": method, "params": params, "sessionId": p.session})
	if p.session == "" {
		text, err = json.Marshal(map[string]any{"id": p.calls, "method": method, "params": params})
	}
	_, failed := p.to.Write(append(text, 0))
	for err = errors.Join(err, failed); err == nil; {
		var heard struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if text, err = p.from.ReadBytes(0); err == nil {
			err = json.Unmarshal(text[:len(text)-1], &heard)
		}
		if err != nil || heard.ID != p.calls {
			continue // events of others
		}
		if heard.Error != nil {
			err = errors.New(heard.Error.Message)
		} else if answer != nil {
			err = json.Unmarshal(heard.Result, answer)
		}
		if err == nil {
			return
		}
	}
	p.t.Fatalf("%s: %v", method, err)
}

// value is that of an expression in the page, as text.
func (p *tab) value(expression string) string {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	return fmt.Sprint(answer.Result.Value)
}

// holds waits until an expression is true.
func (p *tab) holds(expression string) {
	p.t.Helper()
	for range 200 {
		if p.value(expression) == "true" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("after 10 s it does not hold that %s; the page says: %s", expression, p.value("document.body.innerText"))
}

// keys are those that tests press: their codes, and the text that they give.
var keys = map[string]struct {
	code int
	text string
}{"Tab": {9, ""}, "Enter": {13, "\r"}, "ArrowLeft": {37, ""}, "+": {187, "+"}, "0": {48, "0"}}

// press presses keys, one after the other.
func (p *tab) press(names ...string) {
	p.t.Helper()
	for _, name := range names {
		key := keys[name]
		event := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": key.code, "text": key.text}
		p.call("Input.dispatchKeyEvent", event, nil)
		event["type"] = "keyUp"
		delete(event, "text")
		p.call("Input.dispatchKeyEvent", event, nil)
	}
}

// at is what has the focus: its id, or the kind of element and where that stands.
func (p *tab) at() string {
	p.t.Helper()
	return p.value(`(e => e.id || e.className || e.tagName + " in " + (e.closest("[id]") || {}).id)(document.activeElement)`)
}
